#!/bin/bash
# once_test.sh DEFINITIONS HEADER...: no two headers define a type, a function, a constant or a
# macro of one name. So any of them can be included together, and a name has one meaning. A
# template, *.inc.h, defines the names that its includer chooses.
#
# DEFINITIONS is definitions.awk.
set -euo pipefail
export LC_ALL=C
source tests/support/complain.sh

definitions=$1
shift

# twice HEADER...: the names that several headers define, with these headers. A macro that a template
# among them undefines is its parameter.
twice() {
  local file headers=() templates=(/dev/null)
  for file in "$@"; do
    if [[ $file == *.inc.h ]]; then templates+=("$file"); else headers+=("$file"); fi
  done
  { sed -n '/^#undef/p' "${templates[@]}" && awk -f "$definitions" "${headers[@]}"; } | awk '
    $1 == "#undef" { parameter[$2]; next }
    $1 == "alias" || $2 in parameter || ($2, $3) in seen { next }
    {
      seen[$2, $3]
      in_files[$2] = in_files[$2] " " $3
      count[$2]++
    }
    END {
      for (name in count)
        if (count[name] > 1)
          print name ":" in_files[name]
    }' | sort
}

headers=()
for file in "$@"; do
  [[ $file != *.h ]] || headers+=("$file")
done
((${#headers[@]} > 100)) || complain "that are not all headers: ${#headers[@]}"
found=$(twice "${headers[@]}")
[[ -z $found ]] || complain "$found"
count=$(awk -f "$definitions" "${headers[@]}" | wc -l)
echo "$count definitions in ${#headers[@]} headers"
((count > 500)) || complain "that are not all definitions"

# Two small headers with the same definitions.
small=$(mktemp -d "$TEST_TMPDIR/once.XXXXXX")
cd "$small"
for name in one two; do
  cat >$name.h <<'END'
/* struct commented { */
#define SHARED_MACRO(x) \
  (x)
#define SHARED_FOR_A_WHILE 1
#undef SHARED_FOR_A_WHILE
#define SHARED_PARAMETER 1
typedef struct shared_elsewhere shared_elsewhere;
struct shared_tag {
  int member;
};
typedef struct {
  int member;
} shared_type;
typedef int (*shared_pointer)(int, int);
typedef int shared_signature(int, int);
enum { SHARED_ONE = 1, SHARED_TWO };
typedef enum shared_enum {
  SHARED_THREE, /* SHARED_COMMENTED */
} shared_enum;
int shared_declared(int);
static inline int shared_function(int member)
{
  return shared_declared(member);
}
END
done
definitions=$OLDPWD/$definitions
echo '#undef SHARED_PARAMETER' >small.inc.h
found=$(twice one.h two.h small.inc.h)
expected=$(printf '%s: one.h two.h\n' SHARED_MACRO SHARED_ONE SHARED_THREE SHARED_TWO \
  shared_enum shared_function shared_pointer shared_signature shared_tag shared_type)
[[ $found == "$expected" ]] || complain "of the small headers this is said: $found"

((wrong == 0))
