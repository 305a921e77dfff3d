"""Promela models, searched exhaustively by spin, and the bugs that have to be found in them."""

load("@rules_shell//shell:sh_test.bzl", "sh_test")

def _spin(name, model, wanted, defines, tags = []):
    sh_test(
        name = name,
        size = "medium",
        srcs = ["spin.sh"],
        args = ["$(location %s)" % model, wanted] + ["-D" + define for define in defines],
        data = [model],
        tags = ["notsan"] + tags,
    )

def promela(name, bugs = {}, defines = [], tags = []):
    """All states of the model NAME.pml, and one test for each bug that is found there.

    Args:
      name: of the model; `defines` are appended where there are any.
      bugs: name of a bug -> further names to define, WRITERS=1 say, where it is to be found.
      defines: names to define in the search that finds nothing.
      tags: of that search: "manual" where it is long.
    """
    model = name + ".pml"
    _spin("_".join([name] + [d.replace("=", "").lower() for d in defines]), model, "holds", defines, tags)
    for bug, more in bugs.items():
        _spin("%s_%s_is_found" % (name, bug.lower()), model, "fails", [bug] + more)
