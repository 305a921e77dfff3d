#!/bin/bash
# one_thread_test.sh FILE...: tests that are tagged onethread, and so are not run under
# ThreadSanitizer, start no thread and no process. Seen to fail with bit_array_test tagged.
set -u
(($# > 0)) || { echo "no test is tagged: this one looks at nothing"; exit 1; }
starts='std::thread|std::async|RunTogether|pthread_create|posix_spawn|fork\('
if grep -nE "$starts" "$@"; then
  echo "these are tagged onethread, and are not"
  exit 1
fi
echo "$# sources start nothing"
