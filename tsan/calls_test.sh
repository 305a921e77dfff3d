#!/bin/bash
# calls_test.sh INTERFACE ALONE STRESS...: an act of a stress program, which threads run
# concurrently, calls each function that the libraries export; or ALONE has the function, and why
# not.  What a program has from its function run() on, or else main(), is no act.
set -euo pipefail
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# findings INTERFACE ALONE STRESS...: what is wrong, a line each.
findings() {
  local interface=$1 alone=$2
  shift 2
  awk '/^types$/ { exit } /^lfb_/ { print $1 }' "$interface" | sort >"$scratch/exports"
  awk -v OFS='\n' '
    /^[a-z]+: ./ { reason = 1; next }
    /^  lfb_/ && reason { $1 = $1; print; next }
    /^#|^$/ { next }
    { print "what is: " $0 }' "$alone" | sort >"$scratch/alone"
  awk '
    FNR == 1 { over = inside = 0 }
    /^(static void run|int main)/ { over = 1 }
    over { next }
    {
      gsub(/\/\*.*\*\//, "")
      if (sub(/\/\*.*/, "")) inside = 1
      else if (sub(/.*\*\//, "")) inside = 0
      else if (inside) next
      for (; match($0, /lfb_[a-z0-9_]+/); $0 = substr($0, RSTART + RLENGTH)) print substr($0, RSTART, RLENGTH)
    }' "$@" | sort -u | comm -12 - "$scratch/exports" >"$scratch/acts"
  sort -u "$scratch/acts" "$scratch/alone" | comm -23 "$scratch/exports" - | sed 's/$/ is called by no act, and not in the list/'
  comm -12 "$scratch/acts" "$scratch/alone" | sed 's/$/ is called by an act, and in the list/'
  sort -u "$scratch/alone" | comm -13 "$scratch/exports" - | sed 's/$/ is in the list, and no export/'
  uniq -d "$scratch/alone" | sed 's/$/ is in the list twice/'
}

found=$(findings "$@")
[[ -z $found ]] || echo "$found"
echo "$(wc -l <"$scratch/exports") exports: $(wc -l <"$scratch/acts") called by acts, $(wc -l <"$scratch/alone") not"
(($(wc -l <"$scratch/acts") > 100))

# Each fault is found.
printf '%s\n' LIBRARY 'lfb_a void (void)' lfb_b lfb_c lfb_d lfb_e types 'lfb_z' >"$scratch/interface"
printf '%s\n' '# text' 'pure: a reason' '  lfb_d lfb_n' '  lfb_d lfb_a' >"$scratch/list"
printf '%s\n' '/* lfb_b()' ' * lfb_b() */' '  lfb_a(); /* lfb_b() */ lfb_e();' 'static void run(void)' '  lfb_c();' \
  >"$scratch/stress"
wanted='lfb_b is called by no act, and not in the list
lfb_c is called by no act, and not in the list
lfb_a is called by an act, and in the list
lfb_n is in the list, and no export
lfb_d is in the list twice'
diff <(findings "$scratch/interface" "$scratch/list" "$scratch/stress") <(echo "$wanted")
[[ -z $found ]]
