"""clients.py URL: redis-py's calls for BF.*, with the results that they have on RedisBloom."""

import sys

import redis

server = redis.from_url(sys.argv[1])
bf = server.bf()
assert bf.create("py", 0.01, 1000)
assert bf.create("py4", 0.01, 1000, expansion=4)
assert bf.create("fixed", 0.01, 3, noScale=True)
assert bf.add("py", "foo") == 1
assert bf.add("py", "foo") == 0
assert bf.madd("py", "foo", "bar", "baz") == [0, 1, 1]
assert bf.exists("py", "bar") == 1
assert bf.exists("py", "noexist") == 0
assert bf.mexists("py", "foo", "noexist") == [1, 0]
assert bf.insert("made", ["a", "b"], capacity=1000, error=0.001, expansion=2) == [1, 1]
assert bf.insert("made", ["b", "c"], noCreate=True) == [0, 1]
try:
    bf.insert("none", ["a"], noCreate=True)
    raise AssertionError("NOCREATE made a filter")
except redis.ResponseError as error:
    assert str(error) == "not found", error
assert bf.madd("fixed", "a", "b", "c") == [1, 1, 1]
try:
    bf.add("fixed", "d")
    raise AssertionError("a full filter took a key")
except redis.ResponseError as error:
    assert str(error) == "non scaling filter is full", error
info = bf.info("py4")
assert (info.capacity, info.filterNum, info.insertedNum, info.expansionRate) == (1000, 1, 0, 4)
assert info.size > 0
assert bf.info("fixed").expansionRate is None
assert server.execute_command("BF.CARD", "py") == 3

# As RedisBloom documents SCANDUMP and LOADCHUNK.
for i in range(2000):
    bf.add("dumped", f"key-{i}")
chunks, cursor = [], 0
while True:
    cursor, data = bf.scandump("dumped", cursor)
    if cursor == 0:
        break
    chunks.append((cursor, data))
server.delete("dumped")
for cursor, data in chunks:
    assert bf.loadchunk("dumped", cursor, data) in (b"OK", True)
assert all(bf.mexists("dumped", *[f"key-{i}" for i in range(2000)]))

pipe = server.pipeline()
pipe.execute_command("BF.ADD", "piped", "a")
pipe.execute_command("BF.EXISTS", "piped", "a")
assert pipe.execute() == [1, 1]
