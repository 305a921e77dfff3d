# shellcheck shell=bash
# machine.sh - describes the machine, as lines of a Markdown list.  Source it before running
# anything: it records the load.

load_before=$(cut -d' ' -f1-3 /proc/loadavg)

describe_processor() {
  echo "$(lscpu | sed -n 's/^Model name: *//p' | head -1)," \
    "family $(lscpu | sed -n 's/^CPU family: *//p'), model $(lscpu | sed -n 's/^Model: *//p'), $(nproc) cores"
}

describe_compiler() {
  "${CC:-gcc}" --version | head -1
}

describe_briefly() {
  echo "$(describe_processor); $(describe_compiler); $(date -u +%F)"
}

describe_machine() {
  echo "- processor: $(describe_processor); $(lscpu | sed -n 's/^L3 cache: *//p') L3"
  echo "- kernel: $(uname -sr); huge pages: $(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || echo none)"
  echo "- compiler: $(describe_compiler), -O2; Java: $(java -version 2>&1 | head -1)"
  echo "- date: $(date -u +%F); load average before: $load_before; after: $(cut -d' ' -f1-3 /proc/loadavg)"
}
