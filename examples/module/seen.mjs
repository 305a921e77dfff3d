// seen.mjs redis://HOST:PORT FILTER <lines
//
// Prints each line the first time only: the first time that anybody has sent it to this filter,
// which is a key of a Redis server with the module lfbloom_redis.so. seen.py does the same; both
// can use one filter at once.
import { createInterface } from 'node:readline';
import { createClient } from 'redis';

const BATCH = 500; // lines to one command
const [url, filter] = process.argv.slice(2);
if (!filter) {
  console.error('usage: seen.mjs redis://HOST:PORT FILTER <lines');
  process.exit(2);
}
const client = createClient({ url });
client.on('error', (error) => {
  console.error(`seen.mjs: ${error.message}`);
  process.exit(1);
});
await client.connect();

async function flush(lines) {
  if (lines.length === 0) return;
  // For a hundred thousand lines at first; the filter grows.
  const isNew = await client.bf.insert(filter, lines, { CAPACITY: 100_000, ERROR: 0.001 });
  const fresh = lines.filter((_, i) => isNew[i]);
  if (fresh.length > 0) process.stdout.write(fresh.join('\n') + '\n');
}

let lines = [];
for await (const line of createInterface({ input: process.stdin })) {
  lines.push(line);
  if (lines.length === BATCH) await flush(lines.splice(0));
}
await flush(lines);
await client.quit();
