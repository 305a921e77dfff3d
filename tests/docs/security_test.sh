#!/bin/bash
# security_test.sh SECURITY CI MACHINES WORKFLOW...: the platforms of SECURITY.md are those that are tested. Each
# name in the last column is a stage of .ci/all, a machine of //tests/machines, or a host of a workflow, and each
# machine, host and stage of compilers has its row.
#
# Seen to fail with a machine without a row, with a stage that was renamed, and with another Ubuntu.
set -euo pipefail
source tests/support/complain.sh

security=$1 ci=$2 machines=$3
shift 3

# The names between backquotes in the last column of the table, one per line.
named=$(awk -F'|' '/^## / { on = $0 == "## Platforms" } on && NF == 5 { print $4 }' "$security" |
  grep -o '`[^`]*`' | tr -d '`' | sort)
stages=$(sed -nE 's/^ *(stage|check) ([a-z0-9+-]+) .*/\2/p' "$ci")
emulated=$(sed -nE 's/^CROSS = \[(.*)\]$/\1/p' "$machines" | tr -d '",')
hosts=$(sed -n 's/^ *runs-on: //p' "$@" | sort -u)

there=$(tr ' ' '\n' <<<"$stages $emulated $hosts" | grep .)
for name in $named; do
  grep -qxF -- "$name" <<<"$there" || complain "SECURITY.md: $name is no stage, machine or host"
done
for name in $emulated $hosts $(grep '^clang' <<<"$stages"); do
  grep -qxF -- "$name" <<<"$named" || complain "SECURITY.md has no row for $name"
done

count=$(wc -l <<<"$named")
echo "$count names, $wrong wrong"
((count > 10)) || complain "the table was not read"
((wrong == 0))
