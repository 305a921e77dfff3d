#!/bin/bash
# plan_cli_test.sh LFBLOOM: `lfbloom plan`, its picture, and the default strategy of each command.
source "$(dirname "$0")/checks.sh"

gives "plan" 0 "$tool" plan -n 10M -p 1e-4 --json
sed -i -E 's/.*("guava-mitz64": \{[^}]*\}).*/\1/' out
check "plan bits" equal "$(json bits)" 191701184 # 191701168 by the formula, rounded up to words
check "plan bytes" equal "$(json bytes)" 23962648
check "plan probes" equal "$(json probes)" 13
check "plan bits per key" equal "$(json bits_per_key)" 19.1701184
gives "plan for people" 0 "$tool" plan -n 10M -p 1e-4
check "plan MiB" grep -qE 'guava-mitz64 +191,701,184 +22\.85 MiB +19\.17 +13 +0\.0001' out
check "plan lists each strategy once" equal "$(cut -d' ' -f1 out | sort | uniq -d | tr -d '\n')" ""
gives "plan of Guava's own test" 0 "$tool" plan -n 1M -p 0.03 --json
check "7,298,496 bits" holds out '"guava-mitz64": {"bits": 7298496, "bytes": 912312, "probes": 5,'
gives "plan where some cannot" 0 "$tool" plan -n 1 -p 0.9 --json
check "why not" holds out '"guava-mitz64": {"bits": null, "bytes": null, "probes": null, "bits_per_key": null'
check "why not, in words" holds out 'need no bits at all'
# The default strategy: fast-pair from 0.005 on, if this processor has it.
default_at() { "$tool" plan -n "$1" -p "$2" --json | sed -E 's/.*"default": "?([a-z-]*).*/\1/'; }
wide=$(default_strategy)
check "the default at 0.01" equal "$(default_at 1k 0.01)" "$wide"
check "the default at 0.005" equal "$(default_at 1k 0.005)" "$wide"
check "the default at 0.004" equal "$(default_at 1k 0.004)" fast
check "the default of what cannot be" equal "$(default_at 1e19 1e-9)" null
gives "plan marks the default" 0 "$tool" plan -n 1k -p 0.01
check "plan marks the default" equal "$(grep 'the default$' out | cut -d' ' -f1)" "$wide"
printf '%s\n' a b hello >three
for strategy in "" "--strategy default"; do
  # shellcheck disable=SC2086
  gives "build: default${strategy:+, by name}" 0 "$tool" build -q -p 0.01 $strategy -o default.lfb three
  gives "info: default${strategy:+, by name}" 0 "$tool" info --json default.lfb
  check "info: default${strategy:+, by name}" equal "$(json strategy)" "$wide"
  # shellcheck disable=SC2086
  gives "dedupe: default${strategy:+, by name}" 0 "$tool" dedupe --json -p 0.01 $strategy three three
  check "dedupe: default${strategy:+, by name}" equal "$(json strategy) $(json out)" "$wide 3"
  # shellcheck disable=SC2086
  gives "demo: default${strategy:+, by name}" 0 "$tool" demo -n 1k -p 0.01 $strategy --json
  check "demo: default${strategy:+, by name}" equal "$(json strategy)" "$wide"
  # shellcheck disable=SC2086
  gives "shared: default${strategy:+, by name}" 0 "$tool" build --shared -q -n 9 -p 0.01 $strategy -o default.shared three
done
refuses "shared: not the default" "--strategy $wide" "$tool" build --shared -q --strategy sbbf -o default.shared three
rm default.lfb default.shared three
refuses "plan without -p" "both -n and -p" "$tool" plan -n 10
refuses "plan without -n" "both -n and -p" "$tool" plan -p 0.1
refuses "plan with a file" "takes no files" "$tool" plan -n 10 -p 0.1 file

mkdir plots
gives "plot" 0 "$tool" plan -n 10M -p 1e-4 --plot plots/a.svg
check "plot is whole" equal "$(tail -c 8 plots/a.svg | tr -d '\n')" "</svg>"
check "plot has its point" holds plots/a.svg "asked for"
check "plot alone is left" equal "$(ls -A plots)" a.svg
# drawn PICTURE LOWEST: prints each strategy and its probability after n keys, from the height of its
# curve in the middle.  A curve that several strategies share is the first one's, within 3 %.
drawn() {
  awk -v lowest="$2" '
    match($0, /[ "]420\.00,[0-9.]+ /) { at_n = substr($0, RSTART + 8, RLENGTH - 9) }
    /<text x="52"/ && !/asked for/ {
      gsub(/<[^>]*>|,/, "")
      for (i = 1; i <= NF; i++)
        printf "%s %.17g\n", $i, exp(log(lowest) * at_n / 440)
    }' "$1" | sort
}
# planned: prints the same from the numbers of plan.
planned() {
  grep -oE '"[a-z0-9-]+": \{"bits": [0-9][^}]*' out |
    sed -E 's/"([^"]*)".*"fpp_at_n": ([^,]*),.*/\1 \2/' | sort
}
for np in "10M 1e-4" "1000 1e-30" "1 0.5" "20M 0.03"; do
  read -r n p <<<"$np"
  gives "plot of $np" 0 "$tool" plan -n "$n" -p "$p" --json --plot plots/a.svg
  planned >figures
  lowest=$(awk "BEGIN { print $p / 1000 }")
  drawn plots/a.svg "$lowest" >figures_drawn
  check "plot of $np: of all strategies" equal "$(cut -d' ' -f1 figures_drawn)" "$(cut -d' ' -f1 figures)"
  check "plot of $np: plan's figures" equal "$(join figures figures_drawn | awk -v lowest="$lowest" '
    $2 >= lowest && ($3 / $2 > 1.031 || $2 / $3 > 1.031)')" ""
done
check "others may read it" equal "$(stat -c %a plots/a.svg)" "$(printf %o $((0666 & ~$(umask))))"
echo old >plots/a.svg
refuses "plot nowhere" "No such file" "$tool" plan -n 10 -p 0.1 --plot missing/a.svg
refuses "plot onto a directory" "Is a directory" "$tool" plan -n 10 -p 0.1 --plot plots
refuses "plot to a full device" "No space left" "$tool" plan -n 10 -p 0.1 --plot /dev/full
over_limit "plot over a limit" 4 "plots/a.svg: File too large" "$tool" plan -n 10 -p 0.1 --plot plots/a.svg
check "the old plot is untouched" equal "$(cat plots/a.svg)" old
check "no partial plot is left" equal "$(ls -A plots)" a.svg

finish
