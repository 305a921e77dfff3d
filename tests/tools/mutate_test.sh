#!/bin/bash
# mutate_test.sh MUTATE: the changes that tools/mutate.py makes of a made-up file.
set -euo pipefail
mutate=$PWD/$1
cd "$TEST_TMPDIR"

cat >tiny.c <<'EOF'
#define NOT(x) (1 - (x))
/* 1 < 2 */
bool tiny_is_between(int n, int low, const int *high)
{
  assert(n > 0);
  if (n >= low && n < *high)
    return true; // a < b
  tiny_tell(&flag, "1 + 1");
  return 0x0f << n;
}
EOF
diff - <("$mutate" tiny.c --list) <<'EOF'
6: negate: if (!(n >= low && n < *high))
6: compare: if (n > low && n < *high)
6: logic: if (n >= low || n < *high)
6: compare: if (n >= low && n <= *high)
7: negate: return false; // a < b
8: drop: without tiny_tell(&flag, "1 + 1")
9: constant: return 0x10 << n;
9: constant: return 0xe << n;
9: shift: return 0x0f >> n;
EOF
[[ $("$mutate" tiny.c --list --only=constant --line=9 | wc -l) == 2 ]]
[[ $("$mutate" tiny.c --list --some=3 | wc -l) == 3 ]]
mkdir tests
echo 'elsewhere tests/cli/tiny_test.sh tiny.c' >tests/covers.txt
said=$("$mutate" tiny.c 2>&1) && exit 1
[[ $said == *'names no test of it'* ]]
