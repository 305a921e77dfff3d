# house.awk - the house as a graph for graphviz, from the sources' own includes: given all
# sources of the library and of what stands on it.
#
# A box is a folder, or as many neighbouring floors of it as can be one box without two boxes
# standing on each other; its text names its headers, or its sources where it has none.  An
# arrow goes from who includes to who is included; one that others lead along anyway is left
# out.  A folder of what is not the library is one box.

function folder_of(file) {
  sub(/\/[^\/]*$/, "", file)
  sub(/\/include\/lfbloom$/, "/include", file)
  if (file ~ /^(cli|bench|examples)\// && file !~ /\/include$/) sub(/\/.*/, "", file)
  return file
}

function is_whole(folder) { return folder ~ /^(cli|bench|examples)$/ }

# The file that an #include names; "" for a header of the system.
function resolve(name, i) {
  if (name in known) return name
  for (i = 1; i <= 3; i++)
    if ((roots[i] "/include/" name) in known) return roots[i] "/include/" name
  return ""
}

# Whether box `to` can be reached from box `from` along arrows; `seen` is of one search.
function leads(from, to, i) {
  for (i = 1; i <= boxes; i++)
    if ((from, i) in arrow && !(i in seen)) {
      seen[i] = 1
      if (i == to || leads(i, to)) return 1
    }
  return 0
}

# Makes the arrows that there are with the parts in the boxes that they are in now.
function connect(i) {
  split("", arrow)
  for (i = 1; i <= includes; i++)
    if (box[including[i]] != box[included[i]]) arrow[box[including[i]], box[included[i]]] = 1
}

function stands(number) {
  connect()
  split("", seen)
  return !leads(number, number)
}

# A part, a floor of a folder, comes into the box of the floor below it if that stands.
function place(part, folder) {
  box[part] = last[folder]
  if (last[folder] && stands(last[folder])) return
  last[folder] = box[part] = ++boxes
  title[boxes] = folder
}

function label(number, text) {
  text = title[number]
  sub(/\/include$/, "/include/lfbloom", text)
  text = text "/"
  if (is_whole(title[number])) return text
  if (low[number] == high[number]) return text "   floor " low[number] names[number]
  return text "   floors " low[number] " to " high[number] names[number]
}

# Public headers, then a colour for each house.
function fill(folder) {
  if (folder ~ /\/include$/) return "#ffe9b8"
  if (folder == "atomic") return "#dbe9d8"
  if (folder ~ /^bloom/) return "#d9e4f5"
  return folder ~ /^redis/ ? "#f5d9d6" : "#eeeeee"
}

BEGIN { split("atomic bloom redis", roots) }

FNR == 1 {
  known[FILENAME] = 1
  files[++count] = FILENAME
}
match($0, /Floor [0-9]+/) && !(FILENAME in floor) { floor[FILENAME] = substr($0, RSTART + 6, RLENGTH - 6) + 0 }
/^ *# *include *[<"]/ {
  name = $0
  sub(/^[^<"]*[<"]/, "", name)
  sub(/[>"].*/, "", name)
  from[++lines] = FILENAME
  what[lines] = name
}

END {
  for (i = 1; i <= count; i++) {
    folder = folder_of(files[i])
    part_of[files[i]] = folder " " (is_whole(folder) ? 0 : floor[files[i]])
    if (!(folder in have)) {
      have[folder] = 1
      folders[++folder_count] = folder
    }
    exists[part_of[files[i]]] = 1
  }
  for (i = 1; i <= lines; i++) {
    file = resolve(what[i])
    if (file == "" || part_of[file] == part_of[from[i]]) continue
    including[++includes] = part_of[from[i]]
    included[includes] = part_of[file]
  }
  # Each part for itself at first.
  for (part in exists) box[part] = "alone " part
  for (level = 0; level < 100; level++)
    for (i = 1; i <= folder_count; i++)
      if ((folders[i] " " level) in exists) place(folders[i] " " level, folders[i])
  connect()

  for (i = 1; i <= count; i++) {
    number = box[part_of[files[i]]]
    if (!(number in low) || floor[files[i]] < low[number]) low[number] = floor[files[i]]
    if (!(number in high) || floor[files[i]] > high[number]) high[number] = floor[files[i]]
    if (files[i] ~ /\.h$/) headers[number]++
  }
  for (i = 1; i <= count; i++) {
    number = box[part_of[files[i]]]
    name = files[i]
    sub(/.*\//, "", name)
    if (is_whole(title[number]) || (headers[number] && !sub(/\.h$/, "", name))) continue
    names[number] = names[number] (in_line[number]++ % 5 ? "  " : "\\n") name
  }

  print "// What docs/architecture/house.awk says of the includes: ./bazelw run //docs/architecture:draw"
  print "digraph house {"
  print "  rankdir=TB; ranksep=0.45; nodesep=0.3; bgcolor=white;"
  print "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=11, color=\"#555555\"];"
  print "  edge [color=\"#777777\", arrowsize=0.7];"
  for (i = 1; i <= boxes; i++) {
    printf "  b%d [label=\"%s\", fillcolor=\"%s\"];\n", i, label(i), fill(title[i])
  }
  for (i = 1; i <= boxes; i++)
    for (j = 1; j <= boxes; j++) {
      if (!((i, j) in arrow)) continue
      delete arrow[i, j]
      split("", seen)
      if (leads(i, j)) continue
      arrow[i, j] = 1
      printf "  b%d -> b%d;\n", i, j
    }
  print "}"
}
