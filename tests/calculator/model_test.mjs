// model_test.mjs TOOL LOADS PAGE: the calculator's model computes the library's figures, run by
// Node.js without a browser: sizes exactly, rates to 1e-12, since V8's logarithms and the C
// library's may differ in the last bit.  Seen to fail with sbbf's rounding to a power of two left
// out, with a Poisson distribution in place of the binomial one, and with the two words of a pair
// chosen each for itself.
import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {runInThisContext} from 'node:vm';
import {loadRows, planRows} from './rows.mjs';

const [tool, loads, page] = process.argv.slice(2);
const [, model] = /<script id="model">([^]*?)<\/script>/.exec(readFileSync(page, 'utf8'));
runInThisContext(`${model}\nglobalThis.lfbloom = lfbloom;`);

const near = (a, b) => a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));

// Returns whether both refuse.
function same(row) {
  const count = Number(lfbloom.readCount(row.n)), rate = Number(row.p);
  const size = lfbloom.plan(count, rate, row.name), of = JSON.stringify(row);
  assert.equal(size.error, row.error, of);
  if (row.error) return true;
  for (const figure of ['bits', 'bytes', 'probes', 'reachable'])
    if (row[figure] != null) assert.equal(size[figure], row[figure], `${figure} of ${of}`);
  assert(near(lfbloom.fppAfter(size, row.keys ?? count), row.fpp), `fpp of ${of}`);
  if (row.byDefault) assert.equal(lfbloom.defaultName, row.byDefault, of);
  return false;
}

for (const [rows, least] of [[planRows(tool), 1500], [loadRows(loads), 5000]]) {
  const refused = rows.filter(same).length;
  assert(rows.length >= least && refused < rows.length / 2, `${rows.length}, ${refused} refused`);
  console.log(`${rows.length} rows agree, ${refused} of them refusals`);
}
