// model_test.mjs TOOL LOADS GROWTHS PAGE: the calculator's model computes the library's figures, run by
// Node.js without a browser. Seen to fail with sbbf's rounding to a power of two left out, and
// with a Poisson distribution in place of the binomial one; of windows with the limit of 2 words as that of
// 4, of growing filters with layers that take all bits of their rate.
import {readFileSync} from 'node:fs';
import {runInThisContext} from 'node:vm';
import {answerAll, answerKinds, compare, compareKinds, kindRows, loadRows, planRows} from './rows.mjs';

const [tool, loads, growths, page] = process.argv.slice(2);
const [, model] = /<script id="model">([^]*?)<\/script>/.exec(readFileSync(page, 'utf8'));
runInThisContext(`${model}\nglobalThis.lfbloom = lfbloom;`);

const plans = planRows(tool), others = loadRows(loads);
compare(plans, answerAll(plans), 1500);
compare(others, answerAll(others), 5000);
const kinds = kindRows(tool, growths);
compareKinds(kinds, answerKinds(kinds));
