// rows.mjs - the library's results for hundreds of (n, p, strategy), and how the calculator's
// results are compared with them.
//
// Sizes are compared exactly, rates to 1e-12: the page uses V8's logarithms and the library the
// C library's, which may differ in the last bit.
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';

const NUMBERS = ['0', '1', '2', '7', '100', '1000', '54321', '1000000', '12345678', '100000000',
  '1000000000', '123456789012', '1000000000000', '1000000000000000', '18446744073709551615'];
const PROBABILITIES = ['0.99', '0.5', '0.1', '0.03', '0.01', '0.001', '1e-4', '1e-6',
  '0.0055', '2e-6', // where the number of words of `fast` changes
  '1e-9',
  '1e-12', '1e-20', '1e-77', '1e-100', '1e-300', '0.9999999999999999'];

const pairs = NUMBERS.flatMap(n => PROBABILITIES.map(p => ({n, p})));
const run = (program, args) => execFileSync(program, args, {encoding: 'utf8'});

const plans = new Map();
function planned(tool, n, p) {
  const key = `${n} ${p}`;
  if (!plans.has(key)) plans.set(key, JSON.parse(run(tool, ['plan', '--json', '-n', n, '-p', p])));
  return plans.get(key);
}

// {n, p, name, bits, bytes, probes, fpp, reachable} or {n, p, name, error}, from `lfbloom plan`.
export function planRows(tool) {
  return pairs.flatMap(({n, p}) => {
    const {strategies} = planned(tool, n, p);
    return Object.entries(strategies).map(([name, row]) => ({n, p, name, bits: row.bits,
      bytes: row.bytes, probes: row.probes, fpp: row.fpp_at_n, reachable: row.reachable_bits,
      error: row.error}));
  });
}

// {n, p, name, keys, fpp}: with numbers of keys other than n.
export function loadRows(loads) {
  return pairs.filter(({n}) => n.length < 16).flatMap(({n, p}) =>
    run(loads, [n, p]).trim().split('\n').map(line => {
      const [name, keys, fpp] = line.split(' ');
      return {n, p, name, keys: Number(keys), fpp: Number(fpp)};
    }));
}

// What no strategy is: {kind, n, p, ...}, and what the library says of it, or {error: true}.
//
//   default   {name}              what `lfbloom plan` calls the default
//   window    {generations, bytes, probes}  from `lfbloom plan --window`
//   growing   {first, bytes, layers}        of filters that were filled
export function kindRows(tool, growths) {
  const asked = pairs.filter(({n}) => n !== '0');
  const defaults = asked.map(({n, p}) =>
    ({kind: 'default', n, p, name: planned(tool, n, p).default}));
  const windows = asked.flatMap(({n, p}) => {
    let figures = {0: {error: true}}; // the tool ends if one of them cannot be
    try {
      figures = JSON.parse(execFileSync(tool, ['plan', '--json', '--window', '1h', '-n', n, '-p', p],
        {encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore']})).generations;
    } catch (error) {
      assert.equal(error.status, 2);
    }
    return Object.entries(figures).map(([generations, {bytes, probes, error}]) =>
      ({kind: 'window', n, p, generations: Number(generations), bytes, probes, error}));
  });
  const growing = run(growths, []).trim().split('\n').map(line => {
    const [first, p, n, bytes, layers] = line.split(' ');
    return {kind: 'growing', n, p, first: Number(first), bytes: Number(bytes), layers: Number(layers)};
  });
  return [...defaults, ...windows, ...growing];
}

// As answerAll, of kindRows.
export const answerKinds = rows => rows.map(({kind, n, p, generations, first}) => {
  const count = Number(n), rate = Number(p);
  if (kind === 'default') {
    const name = lfbloom.defaultOf(rate);
    return {name: lfbloom.plan(count, rate, name).error ? null : name};
  }
  if (generations === 0)
    return [1, 3, 7].some(of => lfbloom.planWindow(count, rate, of).error) ? {error: true} : {};
  const {bytes, probes, layers, error} = kind === 'window' ? lfbloom.planWindow(count, rate, generations)
    : lfbloom.planGrowing(count, rate, first);
  return error ? {error: true} : {bytes, probes, layers};
});

export function compareKinds(rows, answers) {
  rows.forEach((row, i) => {
    for (const figure of ['name', 'error', 'bytes', 'probes', 'layers'])
      assert.equal(answers[i][figure], row[figure], `${figure} of ${JSON.stringify(row)}`);
  });
  assert(rows.length > 700 && rows.filter(({error}) => error).length < rows.length / 2);
  console.log(`${rows.length} defaults, windows and growing filters agree`);
}

const near = (a, b) => a === b || Math.abs(a - b) <= 1e-12 * Math.max(Math.abs(a), Math.abs(b));

// Runs next to the calculator, also in a browser, so all its inputs are arguments.
export const answerAll = rows => rows.map(({n, p, name, keys}) => {
  const count = Number(lfbloom.readCount(n));
  const size = lfbloom.plan(count, lfbloom.readProbability(p), name);
  if (size.error) return {error: size.error};
  const {bits, bytes, probes, reachable} = size;
  return {bits, bytes, probes, reachable, fpp: lfbloom.fppAfter(size, keys ?? count)};
});

export function compare(rows, answers, least) {
  let refused = 0;
  assert(rows.length >= least, `only ${rows.length} rows`);
  assert.equal(answers.length, rows.length);
  rows.forEach((row, i) => {
    const said = answers[i], of = `${row.name} of n ${row.n}, p ${row.p}, ${row.keys ?? 'n'} keys`;
    refused += row.error !== undefined;
    assert.equal(said.error, row.error, of);
    for (const figure of ['bits', 'bytes', 'probes', 'reachable'])
      if (row[figure] != null) assert.equal(said[figure], row[figure], `${figure}, ${of}`);
    if (!row.error) assert(near(said.fpp, row.fpp), `fpp ${said.fpp}, not ${row.fpp}: ${of}`);
  });
  assert(refused < rows.length / 2, `${refused} rows refuse, and say nothing`);
  console.log(`${rows.length} rows agree, ${refused} of them refusals`);
}
