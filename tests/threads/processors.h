// processors.h - what the system says of the machine's processors, which is the test's to say.
//
// A program that links this has its calls of sysconf() and sched_getcpu() come to processors.cc.
#pragma once

#include <cstdint>

namespace processors {

extern long count;          // of the machine; 0: as it is
extern int current;         // that the thread runs on; -1: the system does not say
extern uint64_t questions;  // for it

}  // namespace processors
