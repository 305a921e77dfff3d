// processors.cc - the wrapped calls of processors.h.
#include "tests/threads/processors.h"

#include <unistd.h>

namespace processors {

long count;
int current;
uint64_t questions;

}  // namespace processors

extern "C" {
long __real_sysconf(int name);
long __wrap_sysconf(int name);
long __wrap_sysconf(int name) {
  return name == _SC_NPROCESSORS_CONF && processors::count != 0 ? processors::count
                                                               : __real_sysconf(name);
}
int __wrap_sched_getcpu();
int __wrap_sched_getcpu() {
  processors::questions++;
  return processors::current;
}
}
