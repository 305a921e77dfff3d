#!/bin/bash
# go_fnv14_test.sh COMPARE OURS GO_SOURCE: strategy go-fnv14 equals the Go filter of 14 seeds
# over FNV-1a.
source "$(dirname "$0")/oracle.sh"
compare=$1 ours=$2
HOME=$work GOCACHE=$work/gocache GO111MODULE=off GOFLAGS='' CGO_ENABLED=0 \
  go build -o "$work/theirs" "$3"
"$work/theirs" "$seed" "$work/facts.go"
run_ours "$work/facts.ours" "$ours" "$seed" "$work/facts.ours"
"$compare" "$work/facts.go" "$work/facts.ours" 48
