#!/bin/bash
# guava_test.sh GUAVA WRITE_JAVA ORACLE_SH: Java writes a filter with each funnel.  The C program
# finds every key in it, and few others.
guava_program=$1 write_java=$2
source "$3"
compile_java "$write_java"

keys() { # FUNNEL FIRST LAST
  case $1 in
  long) seq "$2" "$3" | sed 's/$/000000007/; 1~2s/^/-/' ;;
  *) seq "$2" "$3" | sed 's/.*/Schlüssel-&-鍵-🔑/' ;;
  esac
}

wrong=0
complain() {
  echo "$1"
  wrong=1
}
for funnel in string long chars; do
  keys "$funnel" 1 2000 | run_java -Dfile.encoding=UTF-8 Write "$funnel" "$work/$funnel"
  keys "$funnel" 1 2000 | "$guava_program" "$funnel" "$work/$funnel" >"$work/present"
  diff <(keys "$funnel" 1 2000 | sed 's/^/maybe /') "$work/present" >/dev/null ||
    complain "$funnel: keys that Java put are not found"
  # At 1 %: 200 of 20,000; 5 standard deviations above that are 270.
  maybes=$(keys "$funnel" 2001 22000 | "$guava_program" "$funnel" "$work/$funnel" | grep -c ^maybe)
  ((maybes > 100 && maybes <= 270)) || complain "$funnel: $maybes of 20000 are false positives"
done
# Through another funnel, the keys are not found.
maybes=$(keys string 1 2000 | "$guava_program" chars "$work/string" | grep -c ^maybe)
((maybes < 100)) || complain "the funnel makes no difference: $maybes of 2000"

refused() { # MESSAGE ARGUMENT..., with keys on standard input
  local message=$1 status=0
  shift
  "$guava_program" "$@" >"$work/out" 2>"$work/err" || status=$?
  ((status == 2)) && grep -qF "$message" "$work/err" && [[ ! -s $work/out ]] ||
    complain "$*: status $status, '$(cat "$work/err")'"
}
refused "usage:"
refused "usage:" varchar "$work/string"
refused "not a key for the funnel 'long'" long "$work/long" <<<x
refused "not a key for the funnel 'chars'" chars "$work/chars" < <(printf '\377\n')
refused "cannot be opened" string "$work/none"
head -c 100 "$work/string" >"$work/cut"
refused "ends too early" string "$work/cut"
exit $wrong
