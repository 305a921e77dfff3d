# commands.awk - mdoc of the tool's commands, from what `lfbloom COMMAND --help` prints for
# each, one after another: usage, summary, options, details.  In the details, lines that
# begin with two spaces are examples; "word    text", where the text may go on below itself, says
# what a word of the command does.

# A sentence begins a line, so that the two spaces between them are mdoc's.
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

# Ends what is not `kind` and begins what is: "examples", "words" of the command, or "".
function enter(kind) {
  if (kind == inside) return
  if (inside != "") print inside == "examples" ? ".Ed" : ".El"
  if (kind != "") print kind == "examples" ? ".Bd -literal -offset indent" : ".Bl -tag -width Ds"
  inside = kind
}

# The ways to call a command: `FILTER [FILE...]`, or several with ` | ` between them.
function usage(command, i, word, line) {
  line = command
  for (i = 5; i <= NF; i++) {
    if ($i == "|") {
      print line "\n.br"
      line = command
      continue
    }
    word = $i
    gsub(/[][.]/, "", word)
    word = (word ~ /[a-z]/ ? "Cm " : "Ar ") word ($i ~ /\.\.\./ ? " ..." : "")
    line = line ($i ~ /^\[/ ? " Oo " word " Oc" : " " word)
  }
  print line
}

# `-o, --output=OUT`, `-n N` or `--json` as mdoc has it.
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
  usage(".Nm Cm " $3 " Oo Ar OPTIONS Oc")
  print ".Pp"
  part = "summary"
  next
}

part == "summary" && !NF {
  print ".Bl -tag -width Ds"
  part = "options"
  next
}

part == "options" && !NF {
  print ".El"
  gap = 1
  part = "details"
  next
}

part == "options" {
  row = trimmed($0)
  match(row, /^(-[^-], )?-[^ ]+( [A-Z]+)? /)
  print ".It " tag(trimmed(substr(row, 1, RLENGTH)))
  row = trimmed(substr(row, RLENGTH + 1))
  print text(toupper(substr(row, 1, 1)) substr(row, 2)) "."
  next
}

# Said once, in a section of its own.
/^redis:\/\/\[\[user\]/ { skipping = 1 }
skipping {
  if (/\.$/) skipping = 0
  next
}

!NF {
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
