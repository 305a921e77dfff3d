# json.awk - makes the section JSON of a command's page from json.txt: -v command=NAME.  Prints
# nothing for a command that is not there.

# A row is "WORDS: ..." and the indented lines after it: the fields of a command, then meanings.
function finish(colon, key, rest, words, n, i, tag) {
  colon = index(row, ": ")
  key = substr(row, 1, colon - 1)
  rest = substr(row, colon + 2)
  row = ""
  split(key, words, " ")
  if (part == 1 && words[1] == command) {
    cases[++case_count] = substr(key, length(command) + 2)
    fields[case_count] = rest
    n = split(rest, words, " ")
    for (i = 1; i <= n; i++) wanted[words[i]] = 1
  }
  if (part == 2) {
    n = split(key, words, ", ")
    for (i = 1; i <= n; i++)
      if (words[i] in wanted) tag = tag (tag == "" ? "" : " , ") words[i]
    if (tag != "") meanings = meanings ".It Va " tag "\n" sentences(rest) "\n"
  }
}

function sentences(line) {
  gsub(/-/, "\\-", line)
  gsub(/\. +/, ".\n", line)
  return line
}

/^#/ { next }

!NF {
  if (row != "") finish()
  part++
  next
}

/^  / {
  sub(/^ +/, " ")
  row = row $0
  next
}

{
  if (row != "") finish()
  row = $0
}

END {
  finish()
  if (case_count == 0) exit
  print ".Sh JSON"
  print "With"
  print ".Fl Fl json"
  print "the command prints one object on one line, by the rules of"
  print ".Xr lfbloom 1 ."
  if (case_count > 1) {
    print "Its fields:"
    print ".Bl -tag -width Ds"
    for (i = 1; i <= case_count; i++) {
      print ".It Cm " command (cases[i] == "" ? "" : " No " sentences(cases[i]))
      print ".Va " fields[i]
    }
    print ".El"
    print ".Pp"
  }
  print "The fields mean:"
  print ".Bl -tag -width Ds"
  printf "%s", meanings
  print ".El"
}
