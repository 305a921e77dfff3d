# shellcheck shell=bash disable=SC2154 # its variables are set where it is sourced
# quiet.sh - figures for docs/ come from a quiet machine and from enough rounds.  Source it.
#
# The load is the first number of LFB_BENCH_LOADAVG (/proc/loadavg): the average of a minute.  Tests
# set that variable; nothing else should.

load_file=${LFB_BENCH_LOADAVG:-/proc/loadavg}
most_load=0.3 least_rounds=5 seconds_between_looks=5

refuse() { # why
  echo "${0##*/}: $1" >&2
  exit 2
}

# Whether a directory, which need not exist, is in docs/ of this tree.
is_in_docs() { # directory
  [[ $(realpath -m "$1")/ == "$(realpath -m "${BUILD_WORKSPACE_DIRECTORY:-$PWD}")"/docs/* ]]
}

# Refuses figures for docs/ if they would be of few rounds, or of a run by `unfit` flags.
require_rounds() { # rounds, unfit flags
  (($1 >= least_rounds)) ||
    refuse "docs/ takes figures of $least_rounds rounds or more, not of $1; add --out=DIR"
  [[ -z $2 ]] || refuse "docs/ takes no figures of a run with$2; add --out=DIR"
}

# Whether the load is low.  Sets $load; ends the script if there is none.
is_quiet() {
  load=''
  read -r load _ 2>/dev/null <"$load_file" || true
  [[ $load =~ ^[0-9]+(\.[0-9]+)?$ ]] || refuse "$load_file has no load average"
  awk -v now="$load" -v most="$most_load" 'BEGIN { exit !(now <= most) }'
}

# Waits until the load is low: building the programs was load, too.  Refuses after some seconds.
require_quiet() { # seconds
  local left=$1
  until is_quiet; do
    ((left > 0)) || refuse "the machine is not quiet: load $load, more than $most_load, after $1 s; \
stop what runs there, or add --busy --out=DIR"
    sleep "$seconds_between_looks"
    left=$((left - seconds_between_looks))
  done
}
