# exports.awk - the version script by which a shared library exports its names, for the linker:
#
#     awk -v library=LFBLOOM -f exports.awk interface.txt
function end_version() {
  if (version == "") return
  if (before == "") print "local:\n  *;"
  print "}" before ";"
  before = " " version
}
$0 ~ "^" library "_[0-9]" { end_version(); version = $1; inside = 1; print version " {\nglobal:"; next }
!/^lfb_/ { inside = 0 }
inside { print "  " $1 ";" }
END { end_version() }
