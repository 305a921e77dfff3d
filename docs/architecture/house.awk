# house.awk - draws and checks the folders' includes.
#
#   awk -v list=FOLDERS -f house.awk FILE...               prints a graph for graphviz
#   awk -v list=FOLDERS -v check=1 -f house.awk FILE...    prints the errors, and exits with 1
#   nm -A ARCHIVE... | awk -v calls=1 -f house.awk         the same for circles of calls
#
# The files are all sources of the library, of the tool and of the Redis part.  A box is a folder
# with its headers, or its sources if it has none.  An arrow goes from the including folder to the
# included one, and is left out if other arrows lead there.  Errors are: a file in a folder
# that the list lacks, a folder without a file, an include of a folder further down the list, and a
# circle of files (x.c and x.h are one file).  In a circle of calls each object file takes a name from the next.

function folder_of(file) {
  sub(/\/[^\/]*$/, "", file)
  return file
}

function unit_of(file) {
  sub(/\.[a-z.]*$/, "", file)
  return file
}

# The file that an #include names; "" for a system header.
function resolve(name) {
  if (name in known) return name
  return ("include/" name) in known ? "include/" name : ""
}

# Whether arrows lead from folder `from` to folder `to`; `seen` belongs to one search.
function leads(from, to, i) {
  for (i = 1; i <= folders; i++)
    if ((from, i) in arrow && !(i in seen)) {
      seen[i] = 1
      if (i == to || leads(i, to)) return 1
    }
  return 0
}

function complain(text) {
  print text
  wrong++
}

# Follows the includes from a unit in its folder; complains of a circle back to a unit on the way.
function walk(unit, way, i) {
  if (state[unit] == "done") return
  if (state[unit] == "on the way") {
    complain("a circle of files: " way unit)
    return
  }
  state[unit] = "on the way"
  for (i = 1; i <= next_count[unit]; i++) walk(next_of[unit, i], way unit " -> ")
  state[unit] = "done"
}

# One colour for public headers, and one for each top folder.
function fill(folder) {
  if (folder ~ /^include/) return "#ffe9b8"
  if (folder ~ /^atomic/) return "#dbe9d8"
  if (folder ~ /^bloom/) return "#d9e4f5"
  return folder ~ /^redis/ ? "#f5d9d6" : "#eeeeee"
}

BEGIN {
  if (calls) folders = 1
  while (!calls && (status = (getline line <list)) > 0)
    if (line !~ /^#/) {
      folder[++folders] = line
      place[line] = folders
    }
  if (status < 0 || folders == 0) {
    print "house.awk: cannot read the list of folders " list
    exit 1
  }
}

calls {
  split($1, part, ":")
  if ($2 == "U") {
    from[++lines] = part[2]
    what[lines] = $3
  } else if ($2 ~ /^[A-Z]$/) owner[$3] = part[2]
  next
}
FNR == 1 {
  known[FILENAME] = 1
  files[++count] = FILENAME
}
/^ *# *include *[<"]/ {
  name = $0
  sub(/^[^<"]*[<"]/, "", name)
  quoted = $0 ~ /#[^<]*"/
  sub(/[>"].*/, "", name)
  from[++lines] = FILENAME
  what[lines] = name
  bare[lines] = quoted
}

END {
  if (folders == 0) exit 1
  if (calls) {
    for (i = 1; i <= lines; i++)
      if (what[i] in owner && owner[what[i]] != from[i])
        next_of[from[i], ++next_count[from[i]]] = owner[what[i]]
    for (unit in next_count) walk(unit, "")
    print lines + 0 " names checked, " wrong + 0 " circles"
    exit wrong > 0 || lines == 0
  }
  for (i = 1; i <= count; i++) {
    in_folder = folder_of(files[i])
    if (!(in_folder in place)) {
      complain(files[i] " is in a folder that is not in the list")
      continue
    }
    number = place[in_folder]
    inhabited[number] = 1
    if (files[i] ~ /\.h$/) headers[number]++
  }
  for (i = 1; i <= folders; i++)
    if (!(i in inhabited)) complain(folder[i] " is in the list and has no file")
  for (i = 1; i <= lines; i++) {
    file = resolve(what[i])
    if (file == "") {
      if (bare[i]) complain(from[i] " includes " what[i] ": name it by its path in the tree")
      continue
    }
    a = place[folder_of(from[i])]
    b = place[folder_of(file)]
    if (a != b) arrow[a, b] = 1
    if (a < b) complain(from[i] " includes " file ", which is further down the list")
    if (a == b && unit_of(from[i]) != unit_of(file))
      next_of[unit_of(from[i]), ++next_count[unit_of(from[i])]] = unit_of(file)
    checked++
  }
  for (i = 1; i <= count; i++) walk(unit_of(files[i]), "")

  if (check) {
    print checked " includes of " count " files checked, " wrong + 0 " wrong"
    exit wrong > 0
  }
  for (i = 1; i <= count; i++) {
    number = place[folder_of(files[i])]
    name = files[i]
    sub(/.*\//, "", name)
    if (folder[number] == "cli" || (headers[number] && !sub(/\.h$/, "", name))) continue
    names[number] = names[number] (in_line[number]++ % 5 ? "  " : "\\n") name
  }
  print "// What docs/architecture/house.awk says of the includes: ./bazelw run //docs/architecture:draw"
  print "digraph house {"
  print "  rankdir=TB; ranksep=0.45; nodesep=0.3; bgcolor=white;"
  print "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=11, color=\"#555555\"];"
  print "  edge [color=\"#777777\", arrowsize=0.7];"
  for (i = 1; i <= folders; i++)
    printf "  b%d [label=\"%s/%s\", fillcolor=\"%s\"];\n", i, folder[i], names[i], fill(folder[i])
  for (i = 1; i <= folders; i++)
    for (j = 1; j <= folders; j++) {
      if (!((i, j) in arrow)) continue
      delete arrow[i, j]
      split("", seen)
      if (leads(i, j)) continue
      arrow[i, j] = 1
      printf "  b%d -> b%d;\n", i, j
    }
  print "}"
}
