# rows.jq - the rows of a benchmark's JSON, for the awk scripts:
# "what,filter,size,call,keys,fpp,threads,ns,limit"; limit, in ns, is empty where a row has none.
#
#     jq -rf bench/reporting/rows.jq FILE...

.benchmarks[]
| select(.run_type == "iteration" and (.error_occurred | not))
| (.run_name | sub("/(iterations:[0-9]+/)?manual_time/threads:[0-9]+$"; "") | split("/")) as $name
| [range(6) | $name[.] // ""] + [.threads, .ns_per_key, if .ratio then .ns_per_key / .ratio else "" end]
| map(tostring) | join(",")
