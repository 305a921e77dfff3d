# statuses.awk - the statuses of lfbloom/status.h, which it reads: one line each, "NAME NUMBER TEXT",
# from rows X(NAME, number, "text") with texts that may continue in further lines.

/^  X\(/ {
  inside = 1
  row = ""
}

inside {
  sub(/ *\\$/, "")
  sub(/^ */, "")
  row = row $0
}

inside && /"\)$/ {
  inside = 0
  gsub(/" *"/, "", row)
  sub(/^X\(/, "", row)
  sub(/, */, " ", row)
  sub(/, *"/, " ", row)
  sub(/"\)$/, "", row)
  print row
}
