#!/bin/sh
# slots_modelled.sh <slots.c >slots_modelled.h: with variables of which each thread of a model
# has one. Fails if there are not two of them.
modelled=$(sed 's/^LFB_THREAD_LOCAL uint32_t \(lfb_slot[a-z_]*\) .*/PerThread \1;/')
echo "$modelled"
test "$(echo "$modelled" | grep -c '^PerThread ')" = 2
