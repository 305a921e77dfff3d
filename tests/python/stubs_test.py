"""The stubs have the names, the parameters and the defaults of the module; the examples run."""

import ast
import doctest
import inspect
import os
import unittest

import lfbloom

FOLDER = os.path.dirname(lfbloom.__file__)


def read_stubs():
    with open(os.path.join(FOLDER, "__init__.pyi")) as file:
        return ast.parse(file.read())


def parameters(arguments):
    """The parameters of a definition: (name, kind, default); the default of an overload is unknown."""
    kinds = inspect.Parameter
    plain = [(a, kinds.POSITIONAL_ONLY) for a in arguments.posonlyargs]
    plain += [(a, kinds.POSITIONAL_OR_KEYWORD) for a in arguments.args]
    missing = [inspect.Parameter.empty] * (len(plain) - len(arguments.defaults))
    defaults = missing + [ast.literal_eval(d) for d in arguments.defaults]
    rows = [(a.arg, kind, default) for (a, kind), default in zip(plain, defaults)]
    if arguments.vararg:
        rows.append((arguments.vararg.arg, kinds.VAR_POSITIONAL, kinds.empty))
    for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        rows.append((a.arg, kinds.KEYWORD_ONLY, kinds.empty if default is None else ast.literal_eval(default)))
    return rows


def of_module(function):
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


class Stubs(unittest.TestCase):
    def setUp(self):
        self.tree = read_stubs()
        classes = {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}
        self.classes = {name: node for name, node in classes.items() if name[0] != "_"}
        # What several classes have stands in classes of the stubs alone.
        self.shared = {name: node for name, node in classes.items() if name[0] == "_"}

    def members(self, node):
        """The functions of a class, with those that it shares with others."""
        own = [n for n in node.body if isinstance(n, ast.FunctionDef)]
        return own + [n for base in node.bases if base.id in self.shared for n in self.members(self.shared[base.id])]

    def test_names(self):
        said = next(ast.literal_eval(node.value) for node in self.tree.body
                    if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        self.assertEqual(sorted(said), sorted(lfbloom.__all__))
        defined = set(self.classes) | {n.name for n in self.tree.body if isinstance(n, ast.FunctionDef)}
        self.assertEqual(defined | {"__version__"}, set(lfbloom.__all__))

    def test_bases(self):
        for name, node in self.classes.items():
            bases = [base.id for base in node.bases if base.id not in self.shared] or ["object"]
            self.assertEqual(bases, [base.__name__ for base in getattr(lfbloom, name).__bases__])

    def test_members(self):
        for name, node in self.classes.items():
            if issubclass(getattr(lfbloom, name), Exception):
                continue
            said = {n.name for n in self.members(node)} - {"__new__"}
            there = {n for n, value in vars(getattr(lfbloom, name)).items()
                     if n not in ("__new__", "__doc__", "__module__", "__repr__")}
            self.assertEqual(said, there, name)

    def test_signatures(self):
        checked = 0
        for name, node in self.classes.items():
            cls = getattr(lfbloom, name)
            for member in self.members(node):
                marks = [d.attr if isinstance(d, ast.Attribute) else d.id for d in member.decorator_list]
                if "property" in marks or "setter" in marks:
                    self.assertTrue(inspect.isgetsetdescriptor(vars(cls)[member.name]))
                    continue
                if member.name in ("__contains__", "__len__"):
                    continue
                said = parameters(member.args)
                there = of_module(cls if member.name == "__new__" else getattr(cls, member.name))
                if member.name == "__new__" or "classmethod" in marks:
                    said = said[1:]
                if "overload" in marks:  # one may say that an argument is given by its name
                    by_name = {row[0] for row in said if row[1] == inspect.Parameter.KEYWORD_ONLY}
                    said, there = [row[:2] for row in said], [
                        (row[0], inspect.Parameter.KEYWORD_ONLY if row[0] in by_name else row[1]) for row in there]
                there = [row if row[0] != "self" else (*row[:1], *said[0][1:]) for row in there]
                self.assertEqual(said, there, "%s.%s" % (name, member.name))
                checked += 1
        self.assertGreater(checked, 100)

    def test_plan(self):
        plan = next(n for n in self.tree.body if isinstance(n, ast.FunctionDef))
        self.assertEqual(parameters(plan.args), of_module(lfbloom.plan))

    # The overload with a default is the one whose answers the module gives without the argument.
    def test_defaults_of_answers(self):
        for name, node in self.classes.items():
            for member in self.members(node):
                default = member.args.kw_defaults[-1] if member.name.endswith("_many") else None
                if default is not None:
                    there = inspect.signature(getattr(getattr(lfbloom, name), member.name))
                    self.assertIs(default.value, there.parameters["answers"].default, member.name)

    def test_everything_says_what_it_does(self):
        for name in lfbloom.__all__:
            of = getattr(lfbloom, name)
            self.assertTrue(name == "__version__" or of.__doc__, name)
            for member, value in vars(of).items() if inspect.isclass(of) else ():
                if callable(value) and not member.startswith("__"):
                    self.assertTrue(value.__doc__, member)

    def test_marked_as_typed(self):
        self.assertTrue(os.path.exists(os.path.join(FOLDER, "py.typed")))


class Examples(unittest.TestCase):
    def test_docstrings(self):
        failed, tried = doctest.testmod(lfbloom)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 40)

    def test_page(self):
        failed, tried = doctest.testfile(os.path.abspath("docs/python.md"), module_relative=False)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 20)
