# commands.awk - makes mdoc of one command or help topic from the output of `lfbloom help WORD`:
# usage, summary, examples, options, details.  Lines that begin with two spaces are examples.
# "word    text" explains a word, and its text may continue in indented lines.  With -v only=details
# it prints the details alone.

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

function say(line) {
  if (only == "" || part == only) print line
}

# Enters a block of this kind, "examples", "words" or "", and leaves any other.
function enter(kind) {
  if (kind == inside) return
  if (inside != "") say(inside == "examples" ? ".Ed" : ".El")
  if (kind != "") say(kind == "examples" ? ".Bd -literal -offset indent" : ".Bl -tag -width Ds")
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
  say(line)
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

# Ends an option's row, with its text from all its lines.
function end_option() {
  if (explained != "") say(text(toupper(substr(explained, 1, 1)) substr(explained, 2)) ".")
  explained = ""
}

/^Usage: / {
  part = "usage"
  say(".Sh SYNOPSIS")
  usage(".Nm lfbloom Cm " $3 " Oo Ar OPTIONS Oc", 5)
  next
}

part == "usage" || NR == 1 {
  part = "summary"
  say(".Sh DESCRIPTION")
}

part == "summary" && !NF {
  part = "examples"
  next
}

part == "examples" && !NF {
  enter("")
  part = "details"
  gap = 1
  next
}

# Options come before the details, if there are any.
part == "details" && !begun && /^  (    )?-/ {
  part = "options"
  say(".Ss Options")
  say(".Bl -tag -width Ds")
}

part == "options" && !NF {
  end_option()
  say(".El")
  part = "details"
  gap = 0
  begun = 1
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
  say(".It " tag(trimmed(substr(row, 1, RLENGTH))))
  explained = trimmed(substr(row, RLENGTH + 1))
  next
}

/^More: / { next }

!NF {
  if (inside == "words") enter("")
  gap = 1
  next
}

part == "details" && !headed {
  headed = 1
  if (begun) say(".Ss Details")
  if (begun) gap = 0
  begun = 1
}

/^[a-z0-9]+  +[A-Za-z0-9]/ {
  enter("words")
  say(".It Cm " $1)
  say(text(trimmed(substr($0, length($1) + 1))))
  next
}

{
  if (inside == "words" && !/^  /) gap = 1
  enter(/^  / ? (inside == "words" ? "words" : "examples") : "")
  if (gap && !inside) say(".Pp")
  gap = 0
  say(text(trimmed($0)))
}

END { enter("") }
