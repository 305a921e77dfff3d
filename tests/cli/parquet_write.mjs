// parquet_write.mjs - node parquet_write.mjs FILE [ROWS]: writes a Parquet file with Bloom filters, with the npm
// package hyparquet-writer; with PARQUETJS=1, a file of strings only, with @dsnp/parquetjs.
//
// Three row groups of ROWS (default: 60) rows.  Row i has `name` "name-i", `id` i * 10^15 + 7,
// `size` -i, `weight` i / 4, `share` i / 8, and `plain` "plain-i", which has no filter.
// `node parquet_write.mjs people.parquet` with hyparquet-writer 0.17.0 wrote people.parquet.
import {writeFileSync} from 'node:fs';

const [path, rows = '60'] = process.argv.slice(2);
const size = Number(rows), all = [...Array(3 * size).keys()];
const bloomFilter = {fpp: 0.01};

async function byHyparquet() {
  const {parquetWriteBuffer} = await import('hyparquet-writer');
  const column = (name, type, value) =>
    ({name, type, data: all.map(value), nullable: false, bloomFilter});
  writeFileSync(path, Buffer.from(parquetWriteBuffer({
    rowGroupSize: size,
    columnData: [
      column('name', 'STRING', i => `name-${i}`),
      column('id', 'INT64', i => BigInt(i) * 10n ** 15n + 7n),
      column('size', 'INT32', i => -i),
      column('weight', 'DOUBLE', i => i / 4),
      column('share', 'FLOAT', i => i / 8),
      {...column('plain', 'STRING', i => `plain-${i}`), bloomFilter: undefined},
    ],
  })));
}

async function byParquetjs() {
  const {default: parquet} = await import('@dsnp/parquetjs');
  const {default: sbbf} = await import('@dsnp/parquetjs/dist/lib/bloom/sbbf.js');
  await new sbbf.default().hash(''); // loads the hash: the writer does not wait for it
  const writer = await parquet.ParquetWriter.openFile(
    new parquet.ParquetSchema({name: {type: 'UTF8'}}), path,
    {rowGroupSize: size, bloomFilters: [{column: 'name', numFilterBytes: Math.max(1024, 2 * size)}]});
  for (const i of all) await writer.appendRow({name: `name-${i}`});
  await writer.close();
}

await (process.env.PARQUETJS ? byParquetjs() : byHyparquet());
