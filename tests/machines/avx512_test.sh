#!/bin/bash
# avx512_test.sh INIT PROGRAM... NAME=FILTER...
#
# Boots Linux in Bochs, an emulator of whole machines, as a processor with AVX-512 (Intel's Ice Lake).
# INIT runs the programs there.  Each NAME is a program among them, a test by GoogleTest, and FILTER says
# which of its tests run.  Each must say that all have passed.
#
# What the kernel must not use, because Bochs 2.7 has it only in part:
#   pku, ospke, xsavec, xsaves  The processor describes their state wrongly.  Linux then has no AVX.
#   fsrm                        Without erms, which Linux turns off here, Linux 6.1 copies short strings
#                               wrongly.
#   aperfmperf                  The registers do not exist.
set -euo pipefail
# shellcheck source=tests/support/skip.sh
source tests/support/skip.sh

kernel=/usr/local/lib/lfbloom/vmlinuz # bazelw puts it there
off=fsrm,erms,pku,ospke,xsavec,xsaves,aperfmperf
limit=840

for needed in bochs-bin xorriso cpio; do
  command -v "$needed" >/dev/null || { skip "no $needed: ./bazelw test //tests/machines installs it"; exit 0; }
done
[[ -e $kernel ]] || { skip "no $kernel: ./bazelw test //tests/machines installs it"; exit 0; }

work=$(mktemp -d "$TEST_TMPDIR/avx512.XXXXXX")
mkdir -p "$work/system/dev" "$work/system/proc" "$work/disc"

# ---- The system, and a disc to boot it from -----------------------------------------

wanted=()
for given; do
  case $given in
  *=*) wanted+=("$given") ;;
  *) cp "$given" "$work/system/" ;;
  esac
done
for given in "${wanted[@]}"; do
  echo "/${given%%=*} --gtest_color=no --gtest_filter=${given#*=}"
done >"$work/system/tests"

(cd "$work/system" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/disc/system"
cp "$kernel" "$work/disc/vmlinuz"
cp /usr/lib/ISOLINUX/isolinux.bin /usr/lib/syslinux/modules/bios/ldlinux.c32 "$work/disc/"
cat >"$work/disc/isolinux.cfg" <<EOF
DEFAULT tests
LABEL tests
KERNEL vmlinuz
APPEND initrd=system console=ttyS0 quiet panic=-1 nosmp nokaslr mitigations=off audit=0 tsc=reliable clearcpuid=$off
EOF
xorriso -as mkisofs -quiet -o "$work/disc.iso" -b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 \
  -boot-info-table "$work/disc" 2>"$work/xorriso"

# ---- The machine ------------------------------------------------------------------

# Debian's Bochs has a debugger, which waits for "c", for continue.  Its screen is a pseudo-terminal.
echo c >"$work/continue"
cat >"$work/bochsrc" <<EOF
config_interface: textconfig
display_library: term
cpu: model=corei7_icelake_u, count=1, ips=100000000, reset_on_triple_fault=0
memory: guest=512, host=512
romimage: file=/usr/share/bochs/BIOS-bochs-latest
vgaromimage: file=/usr/share/vgabios/vgabios.bin
ata0-master: type=cdrom, path=$work/disc.iso, status=inserted
boot: cdrom
clock: sync=none, time0=946681200
com1: enabled=1, mode=file, dev=$work/serial
log: $work/log
panic: action=fatal
error: action=ignore
info: action=ignore
sound: waveoutdrv=dummy
speaker: enabled=0
EOF
# It ends with an error when the machine is turned off, too.
TERM=vt100 timeout -s KILL "$limit" bochs-bin -q -f "$work/bochsrc" -rc "$work/continue" \
  </dev/null >"$work/screen" 2>&1 || true

# ---- The results ------------------------------------------------------------------

# As a terminal has it: "\r\n".
tr -d '\r' <"$work/serial" >"$TEST_TMPDIR/output" || { cat "$work/screen" "$work/log"; exit 1; }
cat "$TEST_TMPDIR/output"
wrong=0
if ! grep -qx 'INIT: the end' "$TEST_TMPDIR/output"; then
  echo "the machine did not come to an end within $limit s; its log ends:"
  tail -n 5 "$work/log"
  wrong=1
fi
# A program has passed if GoogleTest says so, of one test at least, and the program ends with 0.
for given in "${wanted[@]}"; do
  name=${given%%=*}
  awk -v runs="INIT: runs /$name " '
    index($0, runs) == 1 { here = 1 }
    here && /^\[  PASSED  \] [1-9][0-9]* tests?\.$/ { says_so = 1 }
    here && /^INIT: status / { ended = $3 == 0; here = 0 }
    END { exit !(says_so && ended) }' "$TEST_TMPDIR/output" || {
    echo "$name: it did not pass"
    wrong=1
  }
done
((wrong == 0))
