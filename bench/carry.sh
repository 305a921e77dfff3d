#!/bin/bash
# carry.sh PROGRAM OUT: makes OUT, one file that runs PROGRAM on another machine of the same kind: a
# script, and after it the program with its shared libraries and their loader.
#
# Debian has Google Benchmark as a shared library only, so the program cannot be linked statically.
set -euo pipefail

program=$1 out=$2
mapfile -t libraries < <(ldd "$program" | sed -nE 's/^.*[ \t](\/[^ ]*) \(0x.*$/\1/p')
loader=$(printf '%s\n' "${libraries[@]}" | grep '/ld-linux')
cat >"$out" <<END
#!/bin/sh
# Made by lfbloom's bench/carry.sh.  Runs $(basename "$program") from TMPDIR.
at=\$(mktemp -d) || exit 1
trap 'rm -rf "\$at"' EXIT
trap 'exit 130' INT TERM HUP
sed '1,/^exit/d' "\$0" | tar -xz -C "\$at" || exit 1
"\$at/$(basename "$loader")" --library-path "\$at" "\$at/$(basename "$program")" "\$@"
exit
END
tar -czhPf - --transform='s,.*/,,' "$program" "${libraries[@]}" >>"$out"
chmod +x "$out"
