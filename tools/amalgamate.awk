# Writes one C file made of many: awk -f amalgamate.awk -v root=FILE [-v own=HEADER]
# [-v xxhash=FILE], from the root of the tree.  Without that FILE <xxhash.h> is left out.
#
# FILE is C.  Each #include of a file of this project is replaced by the text of that file: a
# template (*.inc.h) each time, any other file the first time only.  From the place on where FILE
# includes HEADER, every <lfbloom/...> is left out, since HEADER stands for them.  From there on
# symbols are hidden except those with LFB_API, as in the library.  A macro without LFB_ that a
# .c file defines is undefined at its end.
#
# With HEADER, comments are kept only in FILE and at the head of xxhash.h: those of private files are for
# readers of the tree, and are a third of the lines.
#
# Includes of system headers outside any condition go to the top.  The text of xxhash.h, with its
# own licence (BSD), is included as well.
BEGIN {
  hidden = 0
  inline_file(root)
  if (hidden) {
    emit("#pragma GCC diagnostic pop")
    emit("#pragma GCC visibility pop")
    system_includes = "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n" system_includes
  }
  for (i = 1; i <= emitted; i++) {
    print text[i]
    if (text[i] ~ /^ \*\/$/ && system_includes) { # FILE's head
      printf "%s", system_includes
      system_includes = ""
    }
  }
}

function die(message)
{
  print "amalgamate: " message >"/dev/stderr"
  failed = 1
  exit 1
}

# The file of this tree that an #include names; "" for a system header.
function resolve(name,    i, count, places)
{
  count = split("include/", places, " ")
  if (name ~ /^(atomic|bloom)\//)
    return name
  if (name !~ /^lfbloom\//)
    return ""
  for (i = 1; i <= count; i++)
    if (readable(places[i] name))
      return places[i] name
  die("no file for <" name ">")
}

# Sets `stripped` to the line without comments, where they are left out.  Returns whether anything is
# left of the line, or it was empty.
function bare(line,    at, left, was_comment)
{
  stripped = ""
  was_comment = in_comment
  for (left = line; own && (at = index(left, in_comment ? "*/" : "/*")); in_comment = !in_comment) {
    if (!in_comment)
      stripped = stripped substr(left, 1, at - 1)
    left = substr(left, at + 2)
  }
  if (gsub(/"/, "&", stripped) % 2 != 0 && own && stripped != line)
    die("a comment in a string: " line)
  if (!in_comment)
    stripped = stripped left
  sub(/ +$/, "", stripped)
  return stripped != "" || (line == "" && !was_comment)
}

function readable(file,    line, found)
{
  found = (getline line <file) >= 0
  close(file)
  return found
}

function inline_file(file,    line, status, first, own_macros)
{
  first = file ~ /\.h$/ && file !~ /\.inc\.h$/ # a header's guard is no condition
  if (file != root)
    emit("\n/* ==== " file " ==== */")
  while ((status = (getline line <file)) > 0) {
    if (file != root && !bare(line))
      continue
    if (file != root)
      line = stripped
    if (line ~ /^ *# *(if|el|endif)/) {
      follow_condition(line, first)
      first = 0
    }
    if (line ~ /^ *# *include/)
      include(line)
    else if (line !~ /^#define _(GNU|DEFAULT)_SOURCE/)
      emit(line)
    if (file ~ /\.c$/ && match(line, /^ *# *define +[A-Za-z_0-9]+/))
      own_macros = own_macros undefine(substr(line, RSTART, RLENGTH))
  }
  if (status < 0)
    die("cannot read " file)
  close(file)
  if (file ~ /\.c$/)
    emit(own_macros)
}

# Updates `conditions`, the path of the #ifs around the current line; each branch has a number.
function follow_condition(line, is_guard)
{
  if (line ~ /^ *# *if/) {
    outer[++depth] = conditions
    if (!is_guard)
      conditions = conditions (++branches) "/"
  } else if (line ~ /^ *# *el/)
    conditions = outer[depth] (++branches) "/"
  else
    conditions = outer[depth--]
}

# Whether text that was emitted under the conditions `then` is visible under the current ones.
function is_there(then)
{
  return index(conditions, then) == 1 || then == ""
}

function undefine(define)
{
  sub(/^ *# *define +/, "", define)
  return define ~ /^_?_?LFB_|^_(GNU|DEFAULT)_SOURCE$/ ? "" : "#undef " define "\n"
}

function include(line,    name, file)
{
  name = line
  sub(/^[^<"]*[<"]/, "", name)
  sub(/[>"].*/, "", name)
  if (own && name == own) {
    emit("#include \"" own "\"\n\n#pragma GCC visibility push(hidden)")
    # clang warns of unused static functions in the main file, but not in a header.
    emit("#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wunused-function\"")
    hidden = 1
    return
  }
  if (hidden && name ~ /^lfbloom\//)
    return
  if (name == "xxhash.h") {
    if (xxhash)
      include_xxhash()
    return
  }
  file = resolve(name)
  if (!file)
    include_of_system(line, name)
  else if (file ~ /\.inc\.h$/ || !(file in inlined) || !is_there(inlined[file])) {
    inlined[file] = conditions
    inline_file(file)
  }
}

function include_of_system(line, name)
{
  if (name in included)
    return
  if (conditions == "") {
    included[name] = 1
    system_includes = system_includes "#include <" name ">\n"
  } else if (hidden)
    emit("#pragma GCC visibility push(default)\n" line "\n#pragma GCC visibility pop")
  else
    emit(line)
}

# Emits the text of xxhash.h, once.  Its first comment is its licence.
function include_xxhash(    line, licence)
{
  if (xxhash_is_there++)
    return
  emit("\n/* ==== xxhash.h ==== */")
  for (licence = 1; (getline line <xxhash) > 0; licence = licence && line !~ /\*\//)
    if (licence)
      emit(line)
    else if (bare(line))
      emit(stripped)
  close(xxhash)
}

# Several empty lines become one.
function emit(line)
{
  if (line == "" && text[emitted] == "")
    return
  text[++emitted] = line
}

END {
  exit failed
}
