// parquet.mjs - Parquet's Bloom filters by two independent implementations: the npm packages
// @dsnp/parquetjs, and hyparquet with hyparquet-writer.
//
//   node parquet.mjs write SEED DIR   they write Parquet files, and answer queries
//   node parquet.mjs read DIR         they read our filters, answer queries, and compare all answers
//
// parquet_ours.cc is the other half.
//
// DIR/cases lists the cases. For each, NAME.filter is the Parquet file from the start of the
// filter, NAME.put and NAME.ask are the bytes of keys in hexadecimal, and NAME.ours is the
// filter that our side creates with the same size and keys.
//
// parquetjs differs from Parquet's specification. Both sides allow for this:
//
//   - It hashes the text of numbers, not their bytes.
//   - All blocks of a filter that it creates share one array: each stored block is the union of all
//     blocks. Blocks that it has read are separate.
//   - It multiplies in doubles, so for 1 key in 60,000 one bit differs. Such keys are left out
//     here, and counted.
import parquet from '@dsnp/parquetjs';
import bloomReader from '@dsnp/parquetjs/dist/lib/bloomFilterIO/bloomFilterReader.js';
import sbbf from '@dsnp/parquetjs/dist/lib/bloom/sbbf.js';
import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {readFileSync, writeFileSync} from 'node:fs';
import {parquetMetadata} from 'hyparquet';
import {hashParquetValue, readBloomFilter, sbbfContains} from 'hyparquet/src/bloom.js';
import {parquetWriteBuffer} from 'hyparquet-writer';

const Parquetjs = sbbf.default;
const ASKED = 6000;

// ---- keys ----

function bytesOf(size, fill) {
  const bytes = Buffer.alloc(size);
  fill(bytes);
  return bytes;
}

// For each type: a value from 32 random bytes, and the bytes that Parquet hashes for it.
const types = {
  STRING: r => {
    const text = r.toString('base64').slice(0, 1 + r[0] % 40) + ['', 'é', '€', '😀'][r[1] % 4];
    return {value: text, bytes: Buffer.from(text)};
  },
  BYTE_ARRAY: r => ({value: new Uint8Array(r.subarray(0, r[0] % 33)), bytes: r.subarray(0, r[0] % 33)}),
  INT32: r => ({value: r.readInt32LE(0), bytes: r.subarray(0, 4)}),
  INT64: r => ({value: r.readBigInt64LE(0), bytes: r.subarray(0, 8)}),
  FLOAT: r => {
    const value = Math.fround(r.readInt32LE(0) / 1000);
    return {value, bytes: bytesOf(4, b => b.writeFloatLE(value))};
  },
  DOUBLE: r => {
    const value = r.readInt32LE(0) / 1000;
    return {value, bytes: bytesOf(8, b => b.writeDoubleLE(value))};
  },
};

function drawKey(seed, name, type, i) {
  return types[type](createHash('sha256').update(`${seed} ${name} ${i}`).digest());
}

// For one case: the keys to put, and other keys to query.
function drawKeys(seed, one) {
  const keys = [...Array(one.count + ASKED).keys()].map(i => drawKey(seed, one.name, one.type, i));
  return {put: keys.slice(0, one.count), ask: keys.slice(one.count)};
}

// ---- hyparquet ----

const hyparquet = {
  types: Object.keys(types),
  counts: [1, 40, 3000, 20000],

  textOf: key => key,

  write(one, keys) {
    const data = keys.map(key => key.value);
    const file = Buffer.from(parquetWriteBuffer({
      rowGroupSize: one.count,
      columnData: [{name: 'x', data, type: one.type, nullable: false, bloomFilter: {fpp: 0.01}}],
    }));
    const chunk = parquetMetadata(new Uint8Array(file).buffer).row_groups[0].columns[0].meta_data;
    return file.subarray(Number(chunk.bloom_filter_offset));
  },

  open(form) {
    const view = new DataView(new Uint8Array(form).buffer);
    const {blocks} = readBloomFilter({view, offset: 0});
    return blocks;
  },

  async answer(blocks, one, keys) {
    const element = {type: one.type === 'STRING' ? 'BYTE_ARRAY' : one.type};
    return keys.map(key => sbbfContains(blocks, hashParquetValue(key.value, element)));
  },

  // Our bytes equal theirs, header included.
  async expectOurs(one, ours) {
    const theirs = readFileSync(`${one.path}.filter`).subarray(0, ours.length);
    assert.deepEqual(ours, theirs, `${one.name}: our bytes are not hyparquet's`);
  },
};

// ---- parquetjs ----

// Stands for the reader of a Parquet file that contains only a filter.
const fileOf = form => ({
  getAllColumnChunkDataFor: () => [{
    rowGroupIndex: 0,
    column: {meta_data: {bloom_filter_offset: {buffer: Buffer.alloc(8)}, path_in_schema: ['x']}},
  }],
  read: (offset, size) => Buffer.from(new Uint8Array(form.subarray(offset, offset + size)).buffer),
});

async function hasExactMask(value) {
  const low = (await new Parquetjs().hash(value)).getLowBitsUnsigned();
  return Parquetjs.salt.every(salt => low * salt >>> 27 === Math.imul(low, salt) >>> 27);
}

const blocksOf = filter => Buffer.concat(
  filter.getFilter().map(block => Buffer.from(block.buffer, block.byteOffset, block.byteLength)));

const parquetjs = {
  types: ['STRING', 'INT64', 'DOUBLE'],
  counts: [1, 12, 50, 2000],

  textOf: key => ({value: key.value, bytes: Buffer.from(key.value.toString())}),

  async write(one, keys) {
    const type = one.type === 'STRING' ? 'UTF8' : one.type;
    const path = `${one.path}.parquet`;
    const bloomFilters = [{column: 'x', numFilterBytes: Math.max(1024, 2 * one.count)}];
    const writer = await parquet.ParquetWriter.openFile(
      new parquet.ParquetSchema({x: {type}}), path, {bloomFilters});
    for (const key of keys) await writer.appendRow({x: key.value});
    await writer.close();
    const reader = await parquet.ParquetReader.openFile(path);
    const chunk = reader.metadata.row_groups[0].columns[0].meta_data;
    await reader.close();
    return readFileSync(path).subarray(Number(chunk.bloom_filter_offset));
  },

  async open(form) {
    return (await bloomReader.getBloomFiltersFor(['x'], fileOf(form)))[0].sbbf;
  },

  answer: (filter, one, keys) => Promise.all(keys.map(key => filter.check(key.value))),

  // Our bitset equals the one that parquetjs makes over separate blocks. Each block that it wrote
  // to the file is the union of these.
  async expectOurs(one, ours, keys) {
    const filter = await this.open(ours), written = await this.open(readFileSync(`${one.path}.filter`));
    const bitset = blocksOf(filter), made = Parquetjs.from(Buffer.from(new ArrayBuffer(bitset.length)));
    for (const key of keys) await made.insert(key.value);
    assert.deepEqual(bitset, blocksOf(made), `${one.name}: our bitset is not parquetjs's`);
    const union = new Uint32Array(8);
    for (const block of filter.getFilter()) block.forEach((word, i) => { union[i] |= word; });
    for (const block of written.getFilter()) assert.deepEqual(block, union, one.name);
  },
};

// ---- cases ----

const implementations = {hyparquet, parquetjs};

function allCases(folder) {
  return Object.entries(implementations).flatMap(([who, {types, counts}]) =>
    types.flatMap(type => counts.map(count => {
      const name = `${who}-${type}-${count}`;
      return {who: implementations[who], name, type, count, path: `${folder}/${name}`};
    })));
}

// The keys of a case, as the bytes that our side hashes.
async function keysOf(seed, one) {
  const {put, ask} = drawKeys(seed, one);
  const exact = async keys => {
    const as = keys.map(one.who.textOf);
    if (one.who !== parquetjs) return as;
    const kept = await Promise.all(as.map(key => hasExactMask(key.value)));
    return as.filter((_, i) => kept[i]);
  };
  return {put: await exact(put), ask: await exact(ask), drawn: put.length + ask.length};
}

// A line of a case: how many of its keys are present, and the answers for the others.
async function answersOf(one, filter, keys) {
  const present = await one.who.answer(filter, one, keys.put);
  assert(present.every(yes => yes), `${one.name}: a key that was put is not in`);
  const answers = await one.who.answer(filter, one, keys.ask);
  return `${one.name} ${keys.put.length} ${answers.map(Number).join('')}`;
}

const saveHex = (path, keys) =>
  writeFileSync(path, keys.map(key => `${key.bytes.toString('hex')}\n`).join(''));

async function write(seed, folder) {
  const lines = [];
  let drawn = 0, left = 0;
  await new Parquetjs().hash('');  // loads the hash, which its writer does not wait for
  for (const one of allCases(folder)) {
    const keys = await keysOf(seed, one);
    if (one.who === parquetjs) drawn += keys.drawn, left += keys.put.length + keys.ask.length;
    const form = await one.who.write(one, keys.put);
    writeFileSync(`${one.path}.filter`, form);
    saveHex(`${one.path}.put`, keys.put);
    saveHex(`${one.path}.ask`, keys.ask);
    lines.push(await answersOf(one, await one.who.open(form), keys));
  }
  writeFileSync(`${folder}/seed`, seed);
  writeFileSync(`${folder}/cases`, allCases(folder).map(one => `${one.name}\n`).join(''));
  writeFileSync(`${folder}/theirs.read`, lines.join('\n'));
  console.log(`${drawn - left} of ${drawn} keys left out, for which parquetjs rounds a product`);
  assert((drawn - left) * 1000 < drawn);
}

async function read(folder) {
  const seed = readFileSync(`${folder}/seed`, 'utf8'), lines = [];
  const linesOf = name => readFileSync(`${folder}/${name}`, 'utf8').trimEnd().split('\n');
  for (const one of allCases(folder)) {
    const keys = await keysOf(seed, one), ours = readFileSync(`${one.path}.ours`);
    await one.who.expectOurs(one, ours, keys.put);
    lines.push(await answersOf(one, await one.who.open(ours), keys));
  }
  assert.equal(lines.length, 36);
  assert.deepEqual(linesOf('ours.read'), linesOf('theirs.read'), 'the answers for their filters');
  assert.deepEqual(linesOf('ours.made'), lines, 'the answers for our filters');
}

const [verb, ...rest] = process.argv.slice(2);
await {write, read}[verb](...rest);
