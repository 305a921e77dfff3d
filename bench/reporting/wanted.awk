# wanted.awk - what users still notice: each with its limit, its peer or its plain filter in the same run, and
# what it should be.  With lib.awk and ratios.awk.

# A figure with a target of its own: of `bits`, bits per key; of `seconds`, the time of a command.
function alone(title, fpp, mine, against, other, most) {
  if (mine == "")
    printf "| %s | %s | | | %s | | | <= %s: not measured | |\n", title, fpp, against, most
  else if (other == "")
    printf "| %s | %s | | %s | | | | <= %s: %s | |\n", title, fpp, figure(mine), most, verdict(mine, most)
  else
    printf "| %s | %s | | %s | %s | %s | %.2f | <= %s: %s | |\n", title, fpp, figure(mine), against, figure(other),
      mine / other, most, verdict(mine / other, most)
}

function verdict(value, most) {
  return value <= most ? "met" : missed_verdict
}

function bits(what, fpp, most,    mine) {
  mine = ns["bits", what, "", "", "", fpp, 1]
  alone("bits per key, " what, fpp, mine, "", "", most)
}

# The most of all rounds to the least.
function steady(name, size, fpp, most,    least) {
  least = time_in(lowest, name, size, fpp)
  if (size in has)
    alone(titled(name) ", " binary(size) ": the slowest round", fpp, time_in(highest, name, size, fpp),
      "the fastest round", least, most)
}

END {
  all_rows = 1
  head("operation|fpp|size|ns, bits or s|against|the same|ratio|target|note", 4)
  rows("query_present/fast/many", "1%", "limit/read_or_load", "64KiB=1.4 1MiB=1.1")
  rows("query_present/fast/many", "0.1%", "limit/read_or_load", "64KiB=2.2 1MiB=1.9")
  rows("query_present/fast/many", "0.01%", "limit/read_or_load", "64KiB=3 1MiB=2.1")
  rows("put_present/fast-pair/many", "1%", "query_present/fast-pair/many", "64KiB=1.25 1MiB=1.25 16MiB=1.1 256MiB=1.1")
  if ("64KiB" in has)
    alone("put present, fast-pair, many, 2 threads, 64 KiB", "1%",
      time_in(ns, "put_present/fast-pair/many/hash/2", "64KiB", "1%"), "", "", 1)
  rows("put_new/fast-pair/many", "1%", "limit/cmpxchg16b", everywhere(1.25))
  rows("put_new/fast-pair/single", "1%", "put_new/rocksdb/single", "16MiB=1 256MiB=1")
  rows("put_new/fast-pair/single/hash/2", "1%", "put_new/rocksdb/single/hash/2", "256MiB=1")
  steady("put_new/fast-pair/single/hash/2", "256MiB", "1%", 1.3)
  rows("put_new/fast-pair/single/hash/2", "1%", "put_new/fast-pair/single", "1MiB=0.75")
  rows("fill/growing/many/u64", "1%", "fill/plain/many/u64", everywhere(2))
  rows("ask_absent/growing/many/u64", "1%", "ask_absent/plain/many/u64", everywhere(6))
  bits("growing-full", "1%", 21)
  bits("growing-mean", "1%", 31)
  bits("growing-full", "0.01%", 37)
  bits("growing-mean", "0.01%", 56)
  rows("put_new/counting/many/u64", "1%", "put_new/fast/many/u64", everywhere(2.5))
  rows("query_present/counting/many/u64", "1%", "query_present/fast/many/u64", everywhere(2))
  rows("query_absent/counting/many/u64", "1%", "query_absent/fast/many/u64", everywhere(2))
  rows("put_new/fast/claim_many", "1%", "put_new/fast/many", everywhere(1.6))
  rows("query_present/sbbf/many", "1%", "query_present/libfilter/ahead", "64KiB=1.1 1MiB=1.1")
  bits("default", "1e-6", 35)
  bits("default", "1e-9", 63)
  for (p in commands)
    alone("dedupe --unordered, 10 M lines", p, ns["seconds", "dedupe", "", "", "", p, 1], "build",
      ns["seconds", "build", "", "", "", p, 1], commands[p])
  alone("Python: f.put(int), ns; not here, `./bazelw run //bench/python`", "1%", "", "", "", 30)
  alone("Python: put_many of a list of bytes, ns; the same", "1%", "", "", "", 25)
}

BEGIN {
  commands["1e-4"] = 1.5
  commands["1e-6"] = 1.8
}
