# dedupe.awk - `lfbloom dedupe` without loss beside other ways, and what it must reach.  With lib.awk.

function of(what, who, input) {
  return at(what, who, input, "", "", "", "")
}

# A ratio to another way; `most` is "" if there is no target.
function row(what, who, input, other, most,    mine, theirs) {
  mine = of(what, who, input)
  theirs = of(what, other, input)
  printf "| %s, %s | %s | %s | %s | %s | %.2f | %s |\n", titles[what], input, names[who], figure(mine), names[other],
    figure(theirs), mine / theirs, most == "" ? "none" : at_most(mine / theirs, most)
}

# How many times as fast as another.
function faster(other, least,    mine, theirs) {
  mine = of("wall", "exact", "source")
  theirs = of("wall", other, "source")
  printf "| wall, source | exact | %s | %s | %s | %.2f | %s |\n", figure(mine), names[other], figure(theirs),
    theirs / mine, at_least(theirs / mine, least)
}

function limited(input,    peak, most) {
  peak = of("peak", "limited", input)
  most = of("memory", "limited", input)
  row("cpu", "limited", input, "exact", 2)
  printf "| memory, %s | %s | %s | --memory and 64 MiB | %s | %.2f | %s |\n", input, names["limited"], figure(peak),
    figure(most), peak / most, at_most(peak / most, 1)
}

END {
  titles["cpu"] = "CPU"
  titles["peak"] = "memory"
  names["exact"] = "exact"
  names["one"] = "exact, 1 thread"
  names["limited"] = "exact, --memory of a sixteenth"
  names["lossy"] = "-p 1e-6"
  names["hashset"] = "hash set"
  names["mawk"] = "mawk"
  names["sort"] = "sort -u"
  head("what|way|figure|against|figure|ratio|target", 3)
  count = split("2% 50% 98% source", inputs, " ")
  for (i = 1; i <= count; i++) {
    row("cpu", "exact", inputs[i], "lossy", inputs[i] == "2%" ? 1.3 : inputs[i] == "source" ? 2.5 : "")
    row("peak", "exact", inputs[i], "lossy", inputs[i] == "2%" ? 0.5 : "")
    row("cpu", "one", inputs[i], "hashset", 1)
    row("peak", "one", inputs[i], "hashset", 0.5)
  }
  for (i = 1; i < count; i++) limited(inputs[i])
  faster("sort", 10)
  faster("mawk", 25)
}
