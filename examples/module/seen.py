"""seen.py redis://HOST:PORT FILTER [--span SECONDS] <lines

Prints each line the first time only: the first time that anybody has sent it to this filter,
which is a key of a Redis server with the module lfbloom_redis.so.  seen.mjs does the same; both
can use one filter at once.  With --span the filter forgets a line that was not seen for so long.
"""

import argparse
import itertools
import sys

import redis

BATCH = 500  # lines to one command


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("url")
    parser.add_argument("filter")
    parser.add_argument("--span", type=float, metavar="SECONDS")
    args = parser.parse_args()
    server = redis.from_url(args.url)
    if args.span and not server.exists(args.filter):
        try:  # for a million lines in that time, one in a thousand wrongly dropped
            server.execute_command(
                "BF.WINDOW.RESERVE", args.filter, 0.001, 1_000_000, "SPAN", args.span)
        except redis.ResponseError as error:
            if "exists" not in str(error):  # another process was faster
                raise
    lines = sys.stdin.buffer
    while batch := list(itertools.islice(lines, BATCH)):
        keys = [line.rstrip(b"\n") for line in batch]
        # For a hundred thousand lines at first; the filter grows.
        new = server.bf().insert(args.filter, keys, capacity=100_000, error=0.001)
        for line, is_new in zip(batch, new):
            if is_new:
                sys.stdout.buffer.write(line)


try:
    main()
except redis.RedisError as error:
    sys.exit(f"seen.py: {error}")
