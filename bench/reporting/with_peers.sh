# shellcheck shell=bash disable=SC2154 # $bench_flags is tables.sh's
# with_peers.sh - peers from a directory, for a script that prints tables.  Source it before tables.sh, with
# the script's flags as arguments:
#
# --peers-dir=DIR  measures each DIR/NAME/peer.so, which is built as bench/peers/peer.h says
#
# Takes that flag out of the arguments.  find_peers, after tables.sh, adds to $bench_flags and $names, and says
# which peers are not there.

flags=("$@") peers_dir=''
set --
for flag in "${flags[@]}"; do
  if [[ $flag == --peers-dir=* ]]; then peers_dir=${flag#*=}; else set -- "$@" "$flag"; fi
done
[[ -z $peers_dir || $peers_dir == /* ]] || peers_dir=${BUILD_WORKING_DIRECTORY:-$PWD}/$peers_dir
[[ -z $peers_dir || -d $peers_dir ]] || {
  echo "${0##*/}: --peers-dir=$peers_dir is no directory" >&2
  exit 2
}

find_peers() { # the names of those that are missed
  local name file
  for name in "$@"; do
    [[ -f $peers_dir/$name/peer.so ]] ||
      echo "${0##*/}: $name is not measured: there is no ${peers_dir:-DIR}/$name/peer.so (bench/peers/peer.h)" >&2
  done
  for file in ${peers_dir:+"$peers_dir"/*/peer.so}; do
    [[ -f $file ]] || continue
    bench_flags+=("--peer=$file")
    names+="|$(basename "$(dirname "$file")")"
  done
}
