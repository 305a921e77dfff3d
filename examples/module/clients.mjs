// clients.mjs URL: the calls of node-redis for BF.*, with their results on RedisBloom.
import assert from 'node:assert/strict';
import { commandOptions, createClient } from 'redis';

const url = process.argv[2];
const client = createClient({ url });
await client.connect();
const { bf } = client;
assert.equal(await bf.reserve('node', 0.01, 1000), 'OK');
assert.equal(await bf.reserve('node4', 0.01, 1000, { EXPANSION: 4 }), 'OK');
assert.equal(await bf.reserve('node fixed', 0.01, 2, { NONSCALING: true }), 'OK');
await assert.rejects(bf.reserve('node', 0.01, 1000), { message: 'ERR item exists' });
assert.equal(await bf.add('node', 'foo'), true);
assert.equal(await bf.add('node', 'foo'), false);
assert.deepEqual(await bf.mAdd('node', ['foo', 'bar']), [false, true]);
assert.equal(await bf.exists('node', 'bar'), true);
assert.deepEqual(await bf.mExists('node', ['foo', 'none']), [true, false]);
const made = { CAPACITY: 100, ERROR: 0.001, EXPANSION: 2 };
assert.deepEqual(await bf.insert('node made', ['a', 'b'], made), [true, true]);
await assert.rejects(bf.insert('node none', ['a'], { NOCREATE: true }),
  { message: 'ERR not found' });
assert.equal(await bf.card('node'), 2);
const { size, ...info } = await bf.info('node4');
assert.deepEqual(info,
  { capacity: 1000, numberOfFilters: 1, numberOfInsertedItems: 0, expansionRate: 4 });
assert.ok(size > 0);

// Bytes, not text.
const raw = commandOptions({ returnBuffers: true });
const chunks = [];
for (let iterator = 0; ;) {
  const dumped = await bf.scanDump(raw, 'node', iterator);
  iterator = Number(dumped.iterator);
  if (iterator === 0) break;
  chunks.push([iterator, dumped.chunk]);
}
for (const [iterator, chunk] of chunks)
  assert.equal(String(await bf.loadChunk('node again', iterator, chunk)), 'OK');
assert.deepEqual(await bf.mExists('node again', ['foo', 'bar', 'none']), [true, true, false]);
await client.quit();
