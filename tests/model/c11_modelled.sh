#!/bin/sh
# c11_modelled.sh: reads lfbloom/c11.h and writes it with the atomics of namespace lfb_model in
# place of C++'s.
set -eu
modelled=$(sed 's/ std::$/ lfb_model::/; s/ std::atomic</ lfb_model::atomic</')
[ "$(echo "$modelled" | grep -c 'lfb_model::')" -eq 2 ]
echo "$modelled"
