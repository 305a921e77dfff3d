// rows.mjs - the library's results for hundreds of (n, p, strategy).
import {execFileSync} from 'node:child_process';

const NUMBERS = ['0', '1', '2', '7', '100', '1000', '54321', '1000000', '12345678', '100000000',
  '1000000000', '123456789012', '1000000000000', '1000000000000000', '18446744073709551615'];
const PROBABILITIES = ['0.99', '0.5', '0.1', '0.03', '0.01', '0.001', '1e-4', '1e-6',
  '0.004', '2e-5', // where the number of pairs of `fast` changes
  '1e-9', '1e-12', '1e-77', '1e-300', '0.9999999999999999'];
const pairs = NUMBERS.flatMap(n => PROBABILITIES.map(p => ({n, p})));
const run = (program, args) => execFileSync(program, args, {encoding: 'utf8'});

// What `lfbloom plan` says: {default, strategies: {NAME: {bits, bytes, probes, ...}}}.
export const planned = (tool, n, p) => JSON.parse(run(tool, ['plan', '--json', '-n', n, '-p', p]));

// {n, p, name, bits, bytes, probes, fpp, reachable} or {n, p, name, error}, with `byDefault`.
export function planRows(tool) {
  return pairs.flatMap(({n, p}) => {
    const {strategies, default: byDefault} = planned(tool, n, p);
    return Object.entries(strategies).map(([name, row]) => ({n, p, name, byDefault,
      bits: row.bits, bytes: row.bytes, probes: row.probes, fpp: row.fpp_at_n,
      reachable: row.reachable_bits, error: row.error}));
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
