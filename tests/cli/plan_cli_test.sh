#!/bin/bash
# plan_cli_test.sh LFBLOOM: `lfbloom plan`, and the default strategy of each command.
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
check "why not" holds out \
  '"guava-mitz64": {"bits": null, "bytes": null, "probes": null, "bits_per_key": null'
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
  gives "build: default${strategy:+, by name}" 0 \
    "$tool" build -q -p 0.01 $strategy -o default.lfb three
  reports "info: default${strategy:+, by name}" 0 strategy "$wide" "$tool" info --json default.lfb
  # shellcheck disable=SC2086
  gives "dedupe: default${strategy:+, by name}" 0 \
    "$tool" dedupe --json -p 0.01 $strategy three three
  check "dedupe: default${strategy:+, by name}" equal "$(json strategy) $(json out)" "$wide 3"
  # shellcheck disable=SC2086
  reports "demo: default${strategy:+, by name}" 0 strategy "$wide" \
    "$tool" demo -n 1k -p 0.01 $strategy --json
  # shellcheck disable=SC2086
  gives "shared: default${strategy:+, by name}" 0 \
    "$tool" build --shared -q -n 9 -p 0.01 $strategy -o default.shared three
done
refuses "shared: not the default" "--strategy $wide" \
  "$tool" build --shared -q --strategy sbbf -o default.shared three
rm default.lfb default.shared three
refuses "plan without -p" "both -n and -p" "$tool" plan -n 10
refuses "plan without -n" "both -n and -p" "$tool" plan -p 0.1
refuses "plan with a file" "takes no files" "$tool" plan -n 10 -p 0.1 file

finish
