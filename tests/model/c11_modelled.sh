#!/bin/sh
# c11_modelled.sh: writes lfbloom/c11.h, which it reads, with the atomics of namespace lfb_model
# for those of C++.
set -eu
modelled=$(sed 's/ std::$/ lfb_model::/; s/ std::atomic</ lfb_model::atomic</')
[ "$(echo "$modelled" | grep -c 'lfb_model::')" -eq 2 ]
echo "$modelled"
