// processors.h - lets a test provide the system's answers about the processors.
//
// In a program that links this, calls of sysconf() and sched_getcpu() come to processors.cc.
#pragma once

#include <cstdint>

namespace processors {

extern long count;          // of the host; 0: the real number
extern int current;         // where the thread runs; -1: unknown to the system
extern uint64_t questions;  // calls of sched_getcpu()

}  // namespace processors
