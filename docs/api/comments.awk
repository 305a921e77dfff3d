# comments.awk - turns a public header's comments into Doxygen's.  No text of the header is lost,
# and its layout is kept.
#
# With -v names=1 it instead prints each public name (function, type, field, enumerator, macro)
# and whether it has a comment: "FILE: NAME documented", "FILE: NAME".
#
# A comment belongs to all declarations that follow without an empty line.  A comment after a
# field or an enumerator belongs to all names of that line.

# ---- text ----

function escaped(line, parts, count, i) {
  gsub(/\\/, "&&", line)
  gsub(/&/, "\\&amp;", line)
  gsub(/</, "\\&lt;", line)
  gsub(/>/, "\\&gt;", line)
  gsub(/[@%#]/, "\\\\&", line) # not "\\\\@", of which awks make one or two
  gsub(/\.\.+/, "\\&hellip;", line) # or it might end a list
  gsub(/LFB_ERROR_[A-Z0-9_]*[A-Z0-9]/, "#&", line) # a link, or an error if there is no such
  count = split(line, parts, "`")
  line = parts[1]
  for (i = 2; i <= count; i++) line = line (i % 2 ? "</tt>" : "<tt>") parts[i]
  return count % 2 || count == 0 ? line : line "</tt>"
}

# A comment's line without the comment marks.
function bare(line) {
  sub(/^ *\/\*+ ?/, "", line)
  sub(/ *\*\/ *$/, "", line)
  sub(/^ *\*( |$)/, "", line)
  sub(/ +$/, "", line)
  return line
}

# Whether a line is laid out in columns: a table, an indented line, or "Fails  LFB_ERROR_X".
function in_columns(line) {
  return line ~ / \| |^ / || line ~ /^([0-9]+\. )?[A-Z][A-Za-z]*(,? [A-Za-z]+)?(, [A-Z][a-z]+)*  +[^ ]/
}

# A comment keeps its layout from its first line in columns on.
function block(lines, count, first, i, line, text, columns) {
  text = "/** " first
  for (i = 1; i <= count; i++) {
    line = bare(lines[i])
    if (!columns && (in_columns(line) || (i < count && bare(lines[i + 1]) ~ /^ /))) {
      columns = 1
      text = text "\n * <pre>"
    }
    text = text "\n * " escaped(line)
  }
  return text (columns ? "\n * </pre>" : "") "\n */"
}

# ---- what is declared ----

function say(name, documented) {
  if (names && name != "") print FILENAME ": " name (documented ? " documented" : "")
}

function out(line) {
  if (!names) print line
}

# The name that a declaration declares: of a function, a function type or a type.
function declared(text) {
  if (text !~ /^(typedef|enum|struct)/ && match(text, /lfb_[a-z0-9_]+\(/)) return substr(text, RSTART, RLENGTH - 1)
  if (match(text, /\(\*[a-z0-9_]+\)/)) return substr(text, RSTART + 2, RLENGTH - 3)
  if (match(text, /^(typedef )?(struct|enum) lfb_[a-z0-9_]+/)) {
    text = substr(text, RSTART, RLENGTH)
    sub(/.* /, "", text)
    return text
  }
  if (text ~ /^typedef/ && match(text, /lfb_[a-z0-9_]+;/)) return substr(text, RSTART, RLENGTH - 1)
  return ""
}

# Reads the lines of a comment from line `at` on; returns its last line.
function gather(at) {
  gathered = 0
  do comment[++gathered] = line_of[at]
  while (line_of[at] !~ /\*\// && at++ < lines)
  return at
}

# ---- lists of statuses: one row per status, X(NAME, NUMBER, "text") ----

function take_rows(at, row) {
  for (; line_of[at] != ""; at++) {
    row = row line_of[at]
    if (row !~ /"\) *\\?$/) {
      if (row ~ /\*\/ *\\$|\(X\) *\\$/) row = ""
      sub(/ *\\$/, "", row)
      continue
    }
    sub(/^.*X\(/, "", row)
    sub(/"\) *\\?$/, "", row)
    gsub(/" *"/, "", row)
    statuses = statuses "  " row
    sub(/^  /, "", row)
    rows[++row_count] = row
    row = ""
  }
  return at
}

function status_enum(i, parts) {
  out("typedef enum lfb_status {")
  for (i = 1; i <= row_count; i++) {
    split(rows[i], parts, /, */)
    say(parts[1], rows[i] ~ /"[a-zA-Z]/)
    out("  " parts[1] " = " parts[2] ", /**< " escaped(substr(rows[i], index(rows[i], "\"") + 1)) ". */")
  }
  out("} lfb_status;")
}

# ---- fields and enumerators ----

function names_of(code, words, count, i, found) {
  if (code ~ /\(\*/) return declared(code)
  sub(/ *[;,]? *$/, "", code)
  gsub(/\[[^]]*\]/, "", code)
  gsub(/ = [^,]*/, "", code)
  count = split(code, words, /, */)
  for (i = 1; i <= count; i++) {
    sub(/.*[ *]/, "", words[i])
    found = found (i > 1 ? " " : "") words[i]
  }
  return found
}

function field(code, text, words, count, i) {
  count = split(names_of(code), words, " ")
  for (i = 1; i <= count; i++) say(words[i], text != "")
  if (text == "") return out(code)
  if (count == 1 || code !~ /;/) return out("/** " text " */\n" code)
  # One line for each name, so that each has the comment.
  for (i = 1; i <= count; i++) out("/** " text " */\n" one_of(code, i))
}

# `type *a, b;` -> the i-th declaration alone.
function one_of(code, i, type, parts) {
  split(code, parts, /, */)
  type = parts[1]
  sub(/[ *]*[a-z0-9_]+(\[[^]]*\])?;?$/, "", type)
  sub(/;.*/, "", parts[i])
  return i == 1 ? parts[i] ";" : type " " parts[i] ";"
}

# Reads a body from the line after its brace on; returns the line of the closing brace.
function body(at, code, text, before, i) {
  for (; line_of[at] !~ /^}/; at++) {
    code = line_of[at]
    if (code ~ /^ +(union \{|\};)$/) { # without a name: its fields are the struct's
      out(code)
      continue
    }
    if (code ~ /^ *\/\*/) {
      at = gather(at)
      before = ""
      for (i = 1; i <= gathered; i++) before = before " " escaped(bare(comment[i]))
      continue
    }
    text = before
    if (match(code, /\/\*/)) {
      line_of[at] = substr(code, RSTART)
      code = substr(code, 1, RSTART - 1)
      at = gather(at)
      text = ""
      for (i = 1; i <= gathered; i++) text = text " " escaped(bare(comment[i]))
    }
    if (code ~ /[^ ]/) field(code, text)
    before = ""
  }
  return at
}

# ---- a header ----

# Reads a declaration that begins in line `at`; returns its last line.
function declaration(at, code, end) {
  code = line_of[at]
  end = at
  while (code !~ /[;{]/ && end < lines) code = code "\n" line_of[++end]
  if (code ~ /LFB_STATUS_LIST\(LFB_STATUS_ENUMERATOR\)/) {
    say("lfb_status", doc != "")
    if (doc != "") out(doc)
    status_enum()
    return end
  }
  say(declared(code), doc != "")
  if (code ~ /^enum \{.*\};/) {
    name = code
    gsub(/^enum \{ *| = .*/, "", name)
    say(name, doc != "")
    sub(/ *\};/, (doc == "" ? "" : " /**< " doc_line " */") " };", code)
    out(doc)
    out(code)
    return end
  }
  if (doc != "") out(doc)
  out(code)
  if (code ~ /^(typedef )?(struct|enum).*\{[^}]*$/) {
    end = body(end + 1)
    out(line_of[end])
  } else if (code ~ /\{/ || line_of[end + 1] ~ /^\{/) {
    while (line_of[end] !~ /^}/) out(lasting(line_of[++end]))
  }
  return end
}

# A line of a function; empty for macros that are undefined again after it.
function lasting(line) { return line ~ /^ *# *(define|undef) / ? "" : line }

function macro(at, name) {
  name = line_of[at]
  sub(/^ *# *define +/, "", name)
  sub(/[^A-Za-z0-9_].*/, "", name)
  # Not a macro that the end of the header undefines.
  if (name in undefined) {
    while (line_of[at] ~ /\\$/) at++
    return at
  }
  if (name !~ /^LFBLOOM_.*_H$/) { # its guard
    say(name, doc != "")
    if (doc != "") out(doc)
  }
  out(line_of[at])
  while (line_of[at] ~ /\\$/) out(line_of[++at])
  return at
}

function header(at, i) {
  for (at = 1; at <= lines; at++)
    if (line_of[at] ~ /^ *# *undef /) {
      name = line_of[at]
      sub(/.* /, "", name)
      undefined[name] = 1
    }
  at = gather(1)
  name = FILENAME
  sub(/.*\//, "", name)
  # Without the file name at its start, which is the page's title.
  match(comment[2], / - /)
  comment[2] = " * " toupper(substr(comment[2], RSTART + 3, 1)) substr(comment[2], RSTART + 4)
  out(block(comment, gathered, "@file lfbloom/" name))
  for (at++; at <= lines; at++) {
    if (line_of[at] ~ /^ *\/\*/) {
      at = gather(at)
      doc = doc_line = ""
      if (comment[1] ~ /---/ || line_of[at + 1] == "") continue
      doc = block(comment, gathered, "")
      for (i = 1; i <= gathered; i++) doc_line = doc_line " " escaped(bare(comment[i]))
    } else if (line_of[at] == "") {
      doc = ""
      out("")
    } else if (line_of[at] ~ /^LFB_EXTERN_C_/) { # no declaration, and without a semicolon
      out(line_of[at])
    } else if (line_of[at] ~ /^# *define LFB_STATUS_LIST/) {
      say("LFB_STATUS_LIST", doc != "")
      if (doc != "") out(doc)
      out("#define LFB_STATUS_LIST(X)")
      at = take_rows(at) - 1
    } else if (line_of[at] ~ /^ *# *define /) {
      at = macro(at)
    } else if (line_of[at] ~ /^ *# *undef /) {
      out("")
    } else if (line_of[at] ~ /^[#}]|^extern/) {
      out(line_of[at])
    } else {
      at = declaration(at)
    }
  }
}

{ line_of[lines = FNR] = $0 }
END { header() }
