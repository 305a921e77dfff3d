# definitions.awk FILE...: the definitions of C sources outside of functions, one per line: KIND
# NAME FILE.
#
# KIND is function, type (by typedef), tag, constant (of an enum) or macro. An alias is the name
# that a macro stands for, or one in a macro's row(NAME, NAME ...): a file that is included several
# times names its functions so. Sources must be laid out like this tree's: a definition begins in
# the first column, and its head has no blank line.

function found(kind, name) { print kind, name, FILENAME }

# The line without its comments and the contents of its strings.
function code_of(line,  at) {
  gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
  if (in_comment) {
    if ((at = index(line, "*/")) == 0)
      return ""
    in_comment = 0
    line = substr(line, at + 2)
  }
  sub(/\/\/.*/, "", line)
  gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", line)
  if ((at = index(line, "/*")) > 0) {
    in_comment = 1
    line = substr(line, 1, at - 1)
  }
  sub(/[ \t]+$/, "", line)
  return line
}

# The names in a row that a template makes functions of.
function rows(line,  words, count, i) {
  if (!match(line, /^ *row\(/))
    return
  count = split(substr(line, RLENGTH), words, /[^A-Za-z0-9_]+/)
  for (i = 1; i <= count; i++)
    if (words[i] ~ /^[a-z_]/)
      found("alias", words[i])
}

# A macro that its file undefines is local to it.
function directive(line,  words, count) {
  sub(/^#[ \t]*/, "", line)
  count = split(line, words, /[ \t]+/)
  sub(/\(.*/, "", words[2])
  if (words[1] == "undef")
    delete macros[words[2]]
  if (words[1] != "define")
    return
  macros[words[2]] = FILENAME
  if (count == 3 && words[3] ~ /^[a-z_][A-Za-z0-9_]*$/)
    found("alias", words[3])
}

function say_macros(  name) {
  for (name in macros) {
    print "macro", name, macros[name]
    delete macros[name]
  }
}

function constants(body,  parts, count, i) {
  sub(/}.*/, "", body)
  count = split(body, parts, ",")
  for (i = 1; i <= count; i++)
    if (match(parts[i], /[A-Z][A-Za-z0-9_]*/) && parts[i] ~ /^[ \t]*[A-Z]/)
      found("constant", substr(parts[i], RSTART, RLENGTH))
}

# All names before a parenthesis; one of them is the function's.
function functions(head,  name) {
  while (match(head, /[A-Za-z_][A-Za-z0-9_]* *\(/)) {
    name = substr(head, RSTART, RLENGTH)
    head = substr(head, RSTART + RLENGTH)
    sub(/ *\($/, "", name)
    if (name !~ /^(__attribute__|_Atomic|_Alignas|LFB_ATOMIC)$/)
      found("function", name)
  }
}

# "typedef struct x x;" is only a declaration, and may occur anywhere.
function typedef(text,  words, count) {
  if (match(text, /\(\*[A-Za-z0-9_]+\)/)) {
    found("type", substr(text, RSTART + 2, RLENGTH - 3))
    return
  }
  if (text ~ /\)$/) # a function's type
    sub(/ *\(.*/, "", text)
  sub(/\[.*\]$/, "", text)
  count = split(text, words, /[ *]+/)
  if (!(words[2] ~ /^(struct|union|enum)$/ && count == 4 && words[3] == words[4]))
    found("type", words[count])
}

FNR == 1 {
  say_macros()
  in_comment = continues = in_enum = 0
  text = ""
}

{
  line = code_of($0)
  in_macro = continues || line ~ /^#/
  if (in_macro && !continues)
    directive(line)
  continues = in_macro && line ~ /\\$/
}

in_macro {
  rows(line)
  next
}

line == "" {
  text = ""
  next
}

in_enum {
  constants(line)
  in_enum = line !~ /}/
}

line ~ /^} *[A-Za-z_][A-Za-z0-9_]*;/ {
  gsub(/^} *|;.*/, "", line)
  found("type", line)
  next
}

text == "" && line !~ /^[A-Za-z_]/ { next }

{
  text = text == "" ? line : text " " line
  if ((at = match(text, /[{;]/)) == 0)
    next
  rest = substr(text, at)
  text = substr(text, 1, at - 1)
  sub(/ +$/, "", text)
  if (rest ~ /^;/ && text ~ /^typedef /)
    typedef(text)
  if (rest ~ /^{/ && text ~ /^(typedef )?enum( |$)/) {
    constants(substr(rest, 2))
    in_enum = rest !~ /}/
  }
  if (rest ~ /^{/ && match(text, /^(typedef )?(struct|union|enum) [A-Za-z0-9_]+$/)) {
    sub(/.* /, "", text)
    found("tag", text)
  } else if (rest ~ /^{/ && text !~ /=/)
    functions(text)
  text = ""
}

END { say_macros() }
