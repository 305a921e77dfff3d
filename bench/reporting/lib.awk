# lib.awk - reads report.csv into memory, for the scripts that make tables from it.
BEGIN {
  FS = ","
  size_count = split("64KiB 1MiB 16MiB 256MiB 1GiB", sizes, " ")
  missed_verdict = "**missed**"
}

FNR > 1 {
  ns[$1, $2, $3, $4, $5, $6, $7] = $8
  lowest[$1, $2, $3, $4, $5, $6, $7] = $9
  highest[$1, $2, $3, $4, $5, $6, $7] = $10
  best[$1, $2, $3, $4, $5, $6, $7] = $11
  around[$1, $2, $3, $4, $5, $6, $7] = spread($8, $9, $10)
  of_limit[$1, $2, $3, $4, $5, $6, $7] = $12
  has[$3] = 1
}

# Nanoseconds; "" if it was not measured.
function at(what, who, size, call, keys, fpp, threads) {
  return (what, who, size, call, keys, fpp, threads) in ns ? ns[what, who, size, call, keys, fpp, threads] : ""
}

function limit(access, size) {
  return at("limit", access, size, "", "", "", 1)
}

function figure(x) {
  return x == "" ? "" : sprintf(x < 9.995 ? "%.2f" : x < 99.95 ? "%.1f" : "%.0f", x)
}

# Half of what lies between the least and the most, as a share of the median.
function spread(median, least, most) {
  return least == most || median == 0 ? "" : sprintf("±%.0f%%", 50 * (most - least) / median)
}

# Median, spread and, in brackets, the multiple of the limit; as far as they are known.
function cell(what, who, size, call, keys, fpp, threads,    value, text) {
  value = at(what, who, size, call, keys, fpp, threads)
  if (value == "") return ""
  text = figure(value)
  if (around[what, who, size, call, keys, fpp, threads] != "")
    text = text " " around[what, who, size, call, keys, fpp, threads]
  if (of_limit[what, who, size, call, keys, fpp, threads] != "")
    text = text sprintf(" (%.2f)", of_limit[what, who, size, call, keys, fpp, threads])
  return text
}

function at_most(ratio, wanted) {
  return sprintf("<= %.2f: %s", wanted, ratio <= wanted ? "met" : missed_verdict)
}

function at_least(ratio, wanted) {
  return sprintf(">= %.2f: %s", wanted, ratio >= wanted ? "met" : missed_verdict)
}

function words(name) {
  gsub(/_/, " ", name)
  sub(/^mixed/, "mixed ", name)
  return name
}

function binary(size) {
  sub(/KiB/, " KiB", size)
  sub(/MiB/, " MiB", size)
  sub(/GiB/, " GiB", size)
  return size
}

# The head of a table: columns separated by "|"; those from the `first`-th on are figures.
function head(columns, first,    column, count, i, line) {
  count = split(columns, column, "|")
  for (i = 1; i <= count; i++) line = line (i < first ? "---|" : "--:|")
  gsub(/\|/, " | ", columns)
  print "| " columns " |"
  print "|" line
}
