#!/bin/bash
# mutate_test.sh MUTATE: tools/mutate.sh on a made-up file. Its tests are known to kill all mutants
# but one.
set -euo pipefail
mutate=$PWD/$1
tree=$(mktemp -d "${TEST_TMPDIR:-/tmp}/mutate.XXXXXX")
trap 'rm -rf "$tree"' EXIT
cd "$tree"
mkdir src tests

cat >covers.txt <<'END'
include ./
library src/*.c
src/tiny.c test tests/tiny_test.c
src/tiny.c tsan tests/flag_test.c
END
cat >src/tiny.h <<'END'
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
bool tiny_is_between(int n, int low, int high);
ptrdiff_t tiny_distance(const char *from, const char *to);
void tiny_count(volatile int *count);
void tiny_tell(atomic_int *flag);
END
cat >src/tiny.c <<'END'
#include "src/tiny.h" /* 1 < 2 */
bool tiny_is_between(int n, int low, int high)
{
  return n >= low && n < high; // a < b
}
ptrdiff_t tiny_distance(const char *from, const char *to)
{
#ifdef NEVER
  return 1;
#endif
  return to - from;
}
void tiny_count(volatile int *count)
{
  while (*count != 3)
    *count =
        *count + 1;
}
void tiny_tell(atomic_int *flag)
{
  atomic_store_explicit(flag, 1, memory_order_release);
}
END
# This test does not check n == low.
cat >tests/tiny_test.c <<'END'
#include "src/tiny.h"
int main(void)
{
  volatile int count = 0;
  atomic_int flag = 0;
  tiny_count(&count);
  tiny_tell(&flag);
  return !(tiny_is_between(5, 4, 6) && !tiny_is_between(3, 4, 6) && !tiny_is_between(6, 4, 6) &&
           count == 3 && atomic_load(&flag) == 1);
}
END
cat >tests/flag_test.c <<'END'
#include <pthread.h>
#include "src/tiny.h"
static atomic_int flag;
static int told;
static void *tell(void *unused)
{
  told = 1;
  tiny_tell(&flag);
  return unused;
}
int main(void)
{
  pthread_t thread;
  if (pthread_create(&thread, NULL, tell, NULL) != 0)
    return 0;
  while (atomic_load_explicit(&flag, memory_order_acquire) != 1)
    ;
  const int heard = told;
  return pthread_join(thread, NULL) != 0 || heard != 1;
}
END

failed=0
# expect NAME ACTUAL EXPECTED
expect() {
  diff <(echo "$2") <(echo "$3") >difference || {
    echo "$1: got (<), expected (>):"
    cat difference
    failed=1
  }
}

run() { "$mutate" --root="$tree" --covers=covers.txt --keep="$tree/built" "$@"; }

expect mutants "$(run src/tiny.c --list | tr '\t' ' ')" '1 4 compare return n > low && n < high; // a < b
2 4 logic return n >= low || n < high; // a < b
3 4 compare return n >= low && n <= high; // a < b
4 9 constant return 2;
5 9 constant return 0;
6 11 sign return to + from;
7 15 negate while (!(*count != 3))
8 15 compare while (*count == 3)
9 15 constant while (*count != 4)
10 15 constant while (*count != 2)
11 16 drop without *count = *count + 1;
12 17 sign *count - 1;
13 17 constant *count + 2;
14 17 constant *count + 0;
15 21 drop without atomic_store_explicit(flag, 1, memory_order_release);
16 21 constant atomic_store_explicit(flag, 2, memory_order_release);
17 21 constant atomic_store_explicit(flag, 0, memory_order_release);
18 21 order atomic_store_explicit(flag, 1, memory_order_relaxed);'
expect 'one line' "$(run src/tiny.c --list --line=15 --only=constant | cut -f1)" $'9\n10'

# #11, #12 and #14 never end.
expect outcomes "$(run src/tiny.c --seconds=1)" \
  'src/tiny.c:4: compare #1: survived: return n > low && n < high; // a < b
src/tiny.c: 18 mutants, 1 uncompiled, 2 equivalent, 0 argued, 15 viable, 14 killed: 93.3 %'
expect 'an order' "$(run src/tiny.c --only=order --all)" \
  'src/tiny.c:21: order #18: killed by tests/flag_test.c (tsan): atomic_store_explicit(flag, 1, memory_order_relaxed);
src/tiny.c: 1 mutants, 0 uncompiled, 0 equivalent, 0 argued, 1 viable, 1 killed: 100.0 %'

echo 'src/tiny.c: compare: return n > low && n < high; // a < b' >argued.txt
expect 'an argued one' "$(run src/tiny.c --line=4 --only=compare --argued=argued.txt)" \
  'src/tiny.c: 2 mutants, 0 uncompiled, 0 equivalent, 1 argued, 1 viable, 1 killed: 100.0 %'

# A mistake is reported with status 2, also a test that fails without a mutant.
refused() {
  local status=0 said
  said=$(run "${@:2}" 2>&1) || status=$?
  [[ $status == 2 && $said == *"$1"* ]] || { echo "$2: status $status, $said"; failed=1; }
}
refused 'no such file' src/none.c
refused 'names no test' tests/tiny_test.c
refused 'no such kind' src/tiny.c --only=other
refused 'no such option' src/tiny.c --other
echo 'src/tiny.c: drop: without nothing' >argued.txt
refused 'no such mutant: src/tiny.c: drop: without nothing' src/tiny.c --argued=argued.txt
sed -i 's/count == 3/count == 4/' tests/tiny_test.c
refused 'fails without a mutant' src/tiny.c
((!failed))
