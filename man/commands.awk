# commands.awk - makes mdoc of the tool's commands from the output of `lfbloom COMMAND --help` for
# each command: usage, summary, options, details.  In the details, lines that begin with two spaces
# are examples; "word    text" explains a word of the command, and its text may continue in
# indented lines.

# Each sentence begins a line, as mdoc wants it.
function text(line) {
  gsub(/\\/, "\\e", line)
  gsub(/-/, "\\-", line)
  gsub(/\.\.\./, "...\\\\\\&", line)
  gsub(/\.  +/, ".\n", line)
  gsub(/\n'/, "\n\\\\\\&'", line)
  return line ~ /^[.']/ ? "\\&" line : line
}

function trimmed(line) {
  gsub(/^ +| +$/, "", line)
  return line
}

# Enters a block of this kind, "examples", "words" of the command or "", and leaves any other.
function enter(kind) {
  if (kind == inside) return
  if (inside != "") print (inside == "examples" ? ".Ed" : ".El")
  if (kind != "") print (kind == "examples" ? ".Bd -literal -offset indent" : ".Bl -tag -width Ds")
  inside = kind
}

# One usage line; its operands begin in field `first`.
function usage(command, first, i, word, line) {
  line = command
  for (i = first; i <= NF; i++) {
    word = $i
    gsub(/[].[]/, "", word) # in this order: gawk takes "[." for the start of a class
    word = (word ~ /[a-z]/ ? "Cm " : "Ar ") word ($i ~ /\.\.\./ ? " ..." : "")
    line = line ($i ~ /^\[/ ? " Oo " word " Oc" : " " word)
  }
  print line
}

# `-o, --output=OUT`, `-n N` or `--json` in mdoc.
function tag(option, parts, name, value) {
  if (split(option, parts, ", ") == 2)
    return "Fl " substr(parts[1], 2) " , " tag(parts[2])
  name = value = option
  sub(/[= ].*/, "", name)
  value = substr(option, length(name) + 2)
  name = "Fl " (name ~ /^--/ ? "Fl " substr(name, 3) : substr(name, 2))
  if (value == "") return name
  return name (option ~ /=/ ? " Ns = Ns Ar " : " Ar ") value
}

/^Usage: / {
  enter("")
  print ".Ss " $3
  usage(".Nm Cm " $3 " Oo Ar OPTIONS Oc", 5)
  part = "usage"
  skipping = gap = 0
  next
}

part == "usage" && /^       lfbloom / {
  print ".br"
  usage(".Nm Cm " $2 " Oo Ar OPTIONS Oc", 4)
  next
}

part == "usage" {
  print ".Pp"
  part = "summary"
}

part == "summary" && !NF {
  print ".Bl -tag -width Ds"
  part = "options"
  next
}

# Ends an option's row, with its text from all its lines.
function end_option() {
  if (explained != "") print text(toupper(substr(explained, 1, 1)) substr(explained, 2)) "."
  explained = ""
}

part == "options" && !NF {
  end_option()
  print ".El"
  gap = 1
  part = "details"
  next
}

part == "options" && /^       / {
  explained = explained " " trimmed($0)
  next
}

part == "options" {
  end_option()
  row = trimmed($0)
  match(row, /^(-[^-], )?-[^ ]+( [A-Z]+)? /)
  print ".It " tag(trimmed(substr(row, 1, RLENGTH)))
  explained = trimmed(substr(row, RLENGTH + 1))
  next
}

# This paragraph is a section of the page.
/^redis:\/\/\[\[user\]/ { skipping = 1 }
skipping && NF { next }

!NF {
  skipping = 0
  if (inside == "words") enter("")
  gap = 1
  next
}

/^[a-z]+   *[a-z]/ {
  enter("words")
  print ".It Cm " $1
  print text(trimmed(substr($0, length($1) + 1)))
  next
}

{
  if (inside == "words" && !/^  /) gap = 1
  enter(/^  / ? (inside == "words" ? "words" : "examples") : "")
  if (gap && !inside) print ".Pp"
  gap = 0
  print text(trimmed($0))
}

END { enter("") }
