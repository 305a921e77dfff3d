// model_test.mjs TOOL LOADS PAGE: the calculator's model gives the library's figures, in the
// engine of browsers but without one.  Seen to fail with sbbf's power of two left out, and with
// Poisson's distribution where it is binomial.
import {readFileSync} from 'node:fs';
import {runInThisContext} from 'node:vm';
import {answerAll, compare, loadRows, planRows} from './rows.mjs';

const [tool, loads, page] = process.argv.slice(2);
const [, model] = /<script id="model">([^]*?)<\/script>/.exec(readFileSync(page, 'utf8'));
runInThisContext(`${model}\nglobalThis.lfbloom = lfbloom;`);

const plans = planRows(tool), others = loadRows(loads);
compare(plans, answerAll(plans), 1500);
compare(others, answerAll(others), 5000);
