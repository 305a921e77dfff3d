#!/bin/bash
# plan_cli_test.sh LFBLOOM: `lfbloom plan`, and the default strategy of each command.
source "$(dirname "$0")/checks.sh"

table <<'END'
0 plan -n 10M -p 1e-4 --json
$ sed -i -E 's/.*("guava-mitz64": \{[^}]*\}).*/\1/' out
and equal "$(json bits)" 191701184 # 191701168 by the formula, rounded up to words
and equal "$(json bytes)" 23962648
and equal "$(json probes)" 13
and equal "$(json bits_per_key)" 19.1701184
0 plan -n 10M -p 1e-4 => /guava-mitz64 +191,701,184 +22\.85 MiB +19\.17 +13 +0\.0001/
and equal "$(cut -d' ' -f1 out | sort | uniq -d | tr -d '\n')" ""
0 plan -n 1M -p 0.03 --json => ..."guava-mitz64": {"bits": 7298496, "bytes": 912312, "probes": 5,...
0 plan -n 1 -p 0.9 --json => ..."guava-mitz64": {"bits": null, "bytes": null, "probes": null, \
  "bits_per_key": null... => ...need no bits at all...
END
default_at() { "$tool" plan -n "$1" -p "$2" --json | sed -E 's/.*"default": "?([a-z-]*).*/\1/'; }
check "the default at 0.01" equal "$(default_at 1k 0.01)" fast
check "the default at 0.004" equal "$(default_at 1k 0.004)" fast
check "the default of what cannot be" equal "$(default_at 1e19 1e-9)" null
gives "plan marks the default" 0 "$tool" plan -n 1k -p 0.01
check "plan marks the default" equal "$(grep 'the default$' out | cut -d' ' -f1)" fast
printf '%s\n' a b hello >three
for strategy in "" "--strategy default"; do
  # shellcheck disable=SC2086
  table <<'END'
0 build -q -p 0.01 $strategy -o default.lfb three
0 info --json default.lfb => {strategy=fast}
# shellcheck disable=SC2086
0 claim --json -p 0.01 $strategy three three => {strategy=fast out=3}
# shellcheck disable=SC2086
0 demo -n 1k -p 0.01 $strategy --json => {strategy=fast}
# shellcheck disable=SC2086
0 build --shared -q -n 9 -p 0.01 $strategy -o default.shared three
END
done
refuses "shared: not the default" "--strategy fast" \
  "$tool" build --shared -q --strategy sbbf -o default.shared three
rm default.lfb default.shared three
refuses "plan without -p" "both -n and -p" "$tool" plan -n 10
refuses "plan without -n" "both -n and -p" "$tool" plan -p 0.1
refuses "plan with a file" "takes no files" "$tool" plan -n 10 -p 0.1 file

finish
