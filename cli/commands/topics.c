/*
 * topics.c - the help topics: what several commands share, for `lfbloom help keys` and so on.
 */
#include "cli/base/command.h"

const struct topic topic_keys = {
    .name = "keys",
    .summary = "what a key is, and how files are read",
    .examples =
        "  lfbloom query -k 2 -t , seen.lfb people.csv\n"
        "  lfbloom dedupe --jsonl user.id events.jsonl.gz\n"
        "  lfbloom query --keys i64 ids.lfb ids.txt\n",
    .details =
        "A key is a line of any bytes, without the newline.  With -0, a key ends in a NUL byte "
        "instead.  An empty line is a key, the empty one, everywhere (build, query, dedupe, "
        "claim); with --jsonl blank lines are skipped.\n\n"
        "Without a FILE, or where FILE is -, standard input is read.  If a file begins as gzip, "
        "zstd or xz do, it is decompressed, whatever its name.  Other compressed files, filters "
        "and UTF-16 are refused.\n\n"
        "A carriage return that ends a line is part of the key.  If each line of a FILE has one, a "
        "warning says so.  With --crlf it is no part of the key.\n\n"
        "With -k N, the key of a line is its field N.  With -k N,M it is the fields N to M with "
        "the separators between them.  Whole lines are still printed.  Without -t, runs of spaces "
        "and tabs separate fields, as in awk; those at the start and the end of a line belong to "
        "no field.  With -t, each BYTE separates two fields, and quotes have no meaning.  A line "
        "without field N has the empty key.\n\n"
        "With --jsonl NAME, each line is a JSON object, and the key is its member NAME.  A.B is "
        "member B of member A.  The key of a string is its text without escapes, in UTF-8.  A "
        "number, true, false or null is taken as it stands: 1 and \"1\" are the same key, 1 and "
        "1.0 are not.  If a name comes twice, the last one counts.  A byte order mark is no part "
        "of a line.\n\n"
        "Several -k make one key of all their fields, in the order given, with the byte 0xff "
        "between them; so do several --jsonl.\n\n"
        "With --keys TYPE, the text of a key stands for a number or for other bytes, as a program "
        "has put them.  A filter of the tool records it, and then no --keys is needed: another one "
        "is refused.  Forms of other programs, except Milvus', do not record it.  The types:\n\n"
        "text    the bytes of the text\n"
        "i64     64-bit numbers: lfb_filter_put_u64(), Guava's longFunnel, Parquet's INT64\n"
        "i32     32-bit numbers: Guava's integerFunnel, Parquet's INT32\n"
        "f64     real numbers of 64 bits\n"
        "f32     real numbers of 32 bits\n"
        "utf16   text in UTF-16: Guava's unencodedCharsFunnel\n"
        "hex     bytes, written as hexadecimal digits\n\n"
        "A line has no key if it is no JSON, lacks the member, or has an object or array there; or "
        "if its text is none of TYPE.  The first such line ends the command with an error that "
        "names its file and line, after the output for the lines before it.  With "
        "--bad-lines=skip, such lines are left out.  With --bad-lines=pass, they are printed as "
        "they stand (build skips them).  A note says how many there were.\n",
};

const struct topic topic_redis = {
    .name = "redis",
    .summary = "filters on a Redis server or cluster",
    .examples =
        "  lfbloom build --shared -n 50M -p 0.001 -o redis://localhost/seen urls.txt\n"
        "  lfbloom query rediss://cache.example.com/seen urls.txt\n"
        "  lfbloom convert --to native redis://localhost/seen seen.lfb\n",
    .details =
        "The commands build, query, claim, convert and info take an address in place of a filter "
        "file.  'lfbloom remote delete' deletes filters.  The addresses:\n\n"
        "  redis://[[user]:password@]host[:port]/name    a server or a cluster\n"
        "  rediss://[[user]:password@]host[:port]/name   the same, by TLS\n"
        "  redis+unix:///path?name=NAME                  a server at a Unix socket\n\n"
        "The word valkey in place of redis means the same.  %XX stands for a byte of the user, "
        "password or name; a ? in a name is %3F.  Parameters follow after ?, with & between "
        "them:\n\n"
        "db      db=N: the filter is in database N\n"
        "layout  layout=module: a new filter is a key of the module lfbloom_redis.so, for the "
        "commands BF.*; a filter that exists is known by itself\n"
        "helper  helper=N,P: the Java helper class made the filter for N keys at P, and it records "
        "neither; helper=N,P,twice if its funnel puts each string twice\n\n"
        "If the address has no password, that of the variable LFBLOOM_REDIS_PASSWORD is used.  "
        "Other users can see the command line, but not the variable.\n\n"
        "For rediss://, LFBLOOM_REDIS_CACERT names the file of the certificates to trust (default: "
        "the system's).  LFBLOOM_REDIS_CERT and LFBLOOM_REDIS_KEY name the files of this client's "
        "certificate and its private key.  All are PEM files.\n\n"
        "If the server goes away, the command says so, and waits for it until --timeout.\n",
};

const struct topic topic_status = {
    .name = "status",
    .summary = "what the exit status of a command says",
    .examples =
        "  lfbloom query -q seen.lfb urls.txt && echo 'some may have been seen'\n"
        "  lfbloom verify -q backup/*.lfb || echo 'do not rely on the backup'\n",
    .details =
        "0       Done: the command did what it was asked to do.\n"
        "1       Done, but not as asked: query found no key to print, remove found one absent, "
        "verify found damage, or a filter is fuller than planned.\n"
        "2       Not done: the last line on standard error says why.\n\n"
        "A filter is fuller than planned if more distinct keys came than it was made for, and its "
        "false-positive probability is above -p.  A warning says so.\n\n"
        "If query cannot read a FILE, it goes on with the others and ends with 2.  With -q it ends "
        "with 0 even then, if a key was found.\n",
};
