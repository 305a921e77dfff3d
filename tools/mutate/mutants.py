#!/usr/bin/env python3
"""mutants.py - the single changes that tools/mutate.sh plants into a C file.

    mutants.py list FILE [KIND [LINE]]   one mutant per line: number, line, kind, text
    mutants.py write FILE NUMBER         the whole file with that mutant in it

KIND and LINE may be "" for any.  A mutant's number depends on the file only.
"""
import re
import sys

TOKEN = re.compile(
    r"""(?P<skip>\s+|\\\n|//[^\n]*|/\*.*?\*/)
      | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
      | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<sign><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\#\#|.)""",
    re.VERBOSE | re.DOTALL,
)
SWAPS = {
    "compare": {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    "logic": {"&&": "||", "||": "&&"},
    "sign": {"+": "-", "-": "+", "+=": "-=", "-=": "+="},
    "shift": {"<<": ">>", ">>": "<<", "<<=": ">>=", ">>=": "<<="},
    "bits": {"&": "|", "|": "&", "|=": "&=", "&=": "|="},
    "negate": {"true": "false", "false": "true", "?": "== 0 ?"},
}
BINARY_ONLY = {"+", "-", "&", "|"}
ORDER = re.compile(r"memory_order_(acquire|release|acq_rel|seq_cst)$")
INTEGER = re.compile(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$")
OPENS, CLOSES = "([{", ")]}"
ASSIGNS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}
LEAVES = {"return", "break", "continue"}
# A statement that begins with one of these is not dropped.
KEPT = {"if", "for", "while", "switch", "do", "else", "return", "case", "default", "goto", "typedef",
        "struct", "enum", "union", "static", "const", "extern", "register", "sizeof"}
# A test cannot see a change of their arguments, or these are not C.
UNSEEN = {"assert", "_Static_assert", "__attribute__", "__asm__", "defined"}
# Lines of the preprocessor that have code; other directives are skipped.
DEFINE = re.compile(r"#\s*define\s+\w+(\([^)]*\))?")
DIRECTIVE = re.compile(r"#(?:[^\n\\]|\\.|\\\n)*", re.DOTALL)


class Token:
    def __init__(self, text, start, kind):
        self.text, self.start, self.kind = text, start, kind
        self.end = start + len(text)


def tokens_of(source):
    """The tokens of a C file, without comments, white space and directives other than #define."""
    found, at, fresh = [], 0, True
    while at < len(source):
        if fresh and source[at] == "#":
            define = DEFINE.match(source, at)
            at = (define or DIRECTIVE.match(source, at)).end()
            fresh = False
            continue
        match = TOKEN.match(source, at)
        if match.lastgroup == "skip":
            fresh = fresh or "\n" in match.group().replace("\\\n", "")
        else:
            found.append(Token(match.group(), at, match.lastgroup))
            fresh = False
        at = match.end()
    return found


def partner(tokens, i):
    """The index of the bracket that closes the one at i."""
    depth = 0
    for j in range(i, len(tokens)):
        depth += (tokens[j].text in OPENS) - (tokens[j].text in CLOSES)
        if depth == 0:
            return j
    return len(tokens) - 1


def seen(tokens):
    """The tokens' indexes, without arguments of UNSEEN and the second one of __builtin_expect()."""
    hidden = set()
    for i, token in enumerate(tokens[:-1]):
        if tokens[i + 1].text != "(":
            continue
        last = partner(tokens, i + 1)
        if token.text in UNSEEN:
            hidden.update(range(i, last + 1))
        if token.text == "__builtin_expect":
            hidden.add(last - 1)
    return [i for i in range(len(tokens)) if i not in hidden]


def is_operand(token):
    return token.kind in ("word", "number") and token.text != "return" or token.text in (")", "]")


def swaps(tokens, i):
    token = tokens[i]
    for kind, pairs in SWAPS.items():
        if token.text not in pairs or token.kind == "text":
            continue
        if token.text in BINARY_ONLY and not (i > 0 and is_operand(tokens[i - 1])):
            continue
        yield kind, token.start, token.end, pairs[token.text]


def constants(tokens, i):
    match = INTEGER.match(tokens[i].text) if tokens[i].kind == "number" else None
    if not match:
        return
    value = int(match[1], 0 if match[1][:2] in ("0x", "0X") else 10)
    spelled = hex if match[1][:2] in ("0x", "0X") else str
    for other in [value + 1] + ([value - 1] if value > 0 else []):
        yield "constant", tokens[i].start, tokens[i].end, spelled(other) + match[2]


def orders(tokens, i):
    if ORDER.match(tokens[i].text):
        yield "order", tokens[i].start, tokens[i].end, "memory_order_relaxed"


def negations(tokens, i):
    if tokens[i].text in ("if", "while") and tokens[i + 1].text == "(":
        first, last = tokens[i + 1], tokens[partner(tokens, i + 1)]
        yield "negate", first.start, last.end, None


def depths(tokens):
    """The depth of brackets of each token of a statement."""
    depth, all_depths = 0, []
    for token in tokens:
        depth -= token.text in CLOSES
        all_depths.append(depth)
        depth += token.text in OPENS
    return all_depths


def is_dropped(tokens):
    """Whether these tokens, up to a semicolon, are an assignment, a call, or in LEAVES."""
    texts = [token.text for token in tokens]
    if texts[:3] == ["(", "void", ")"]:
        tokens, texts = tokens[3:], texts[3:]
    if len(texts) == 1 and texts[0] in LEAVES:
        return True
    if not texts or texts[0] in KEPT or texts[0] in UNSEEN or texts[0] == "{":
        return False
    words = [token.kind == "word" for token in tokens]
    if words[0] and (words[1:2] == [True] or texts[1:2] == ["*"]):
        return False  # a declaration
    if texts[0] in ("++", "--") or texts[-1] in ("++", "--"):
        return True
    if any(text in ASSIGNS and not depth for text, depth in zip(texts, depths(tokens))):
        return True
    return words[0] and "(" in texts and partner(tokens, texts.index("(")) == len(texts) - 1


def statement_end(tokens, i):
    """The index of the semicolon that ends the statement at i; None if there is none."""
    depth = 0
    for j in range(i, len(tokens)):
        if tokens[j].text == ";" and depth == 0:
            return j
        depth += (tokens[j].text in OPENS) - (tokens[j].text in CLOSES)
        if depth < 0:
            return None
    return None


def begins_statement(tokens, i):
    before = tokens[i - 1].text
    if before in (";", "{", "}", "else", "do"):
        return True
    if before != ")":
        return False
    depth = 0
    for j in range(i - 1, 0, -1):  # whether the bracket closes the head of an if, for or while
        depth += (tokens[j].text in CLOSES) - (tokens[j].text in OPENS)
        if depth == 0:
            return tokens[j - 1].text in ("if", "for", "while")
    return False


def drops(tokens, i, braces):
    if i == 0 or braces == 0 or not begins_statement(tokens, i):
        return
    end = statement_end(tokens, i)
    if end is not None and is_dropped(tokens[i:end]):
        yield "drop", tokens[i].start, tokens[end].end, None


def text_of(source, kind, start, end):
    """The replacement text, with the same number of lines."""
    old = source[start:end]
    if kind == "negate":
        return "(!" + old + ")"
    return ";" + "".join(re.findall(r"[ ]*\\?\n", old))


def mutants_of(source):
    """All mutants, in the file's order: (line, kind, start, end, text)."""
    tokens, found, braces, parens, at = tokens_of(source), [], 0, 0, 0
    for i in seen(tokens):
        while at < i:
            braces += (tokens[at].text == "{") - (tokens[at].text == "}")
            parens += (tokens[at].text in "([") - (tokens[at].text in ")]")
            at += 1
        changes = [*swaps(tokens, i), *constants(tokens, i), *orders(tokens, i), *negations(tokens, i)]
        if parens == 0:
            changes += drops(tokens, i, braces)
        for kind, start, end, text in changes:
            text = text_of(source, kind, start, end) if text is None else text
            found.append((source.count("\n", 0, start) + 1, kind, start, end, text))
    return found


def line_of(source, kind, start, end, text):
    """The changed lines joined to one, with single spaces; for a drop, the dropped text."""
    if kind == "drop":
        return "without " + " ".join(source[start:end].replace("\\\n", " ").split())
    first = source.rfind("\n", 0, start) + 1
    last = source.find("\n", end)
    changed = source[first:start] + text + source[end:last if last >= 0 else len(source)]
    return " ".join(changed.replace("\\\n", " ").split())


def main(arguments):
    with open(arguments[1], encoding="utf-8") as file:
        source = file.read()
    mutants = mutants_of(source)
    if arguments[0] == "write":
        _, _, start, end, text = mutants[int(arguments[2]) - 1]
        sys.stdout.write(source[:start] + text + source[end:])
        return
    kind, line = (arguments[2:] + ["", ""])[:2]
    for number, mutant in enumerate(mutants, 1):
        if kind in ("", mutant[1]) and line in ("", str(mutant[0])):
            print(number, mutant[0], mutant[1], line_of(source, *mutant[1:]), sep="\t")


if __name__ == "__main__":
    main(sys.argv[1:])
