// page_test.mjs TOOL LOADS GROWTHS PAGE: the calculator in headless Chromium, as people use it.
//
// Each check was seen to fail:
//
//   - the numbers: as in model_test.mjs
//   - the default: with `fast` chosen at first
//   - windows: with the table of G = 3 for G = 1
//   - the keyboard: without the outline of :focus-visible; with strategies in the table that are
//     not buttons
//   - the messages: with the previous figures left in place
//   - the phone: with lines of code that do not wrap
//   - the names: with a label of another field
//   - the contrast: with a paler --soft
//   - the curve: with its axis reversed
//   - the network: with a style sheet linked from another host
import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {realpathSync} from 'node:fs';
import {test} from 'node:test';
import {pathToFileURL} from 'node:url';
import {Browser} from './browser.mjs';
import {answerAll, compare, loadRows, planRows} from './rows.mjs';

const [tool, loads, , page] = process.argv.slice(2);
const url = String(pathToFileURL(realpathSync(page)));

const textOf = (browser, id) => browser.evaluate(name => document.getElementById(name).textContent, id);
const idOfFocus = browser => browser.evaluate(
  () => document.activeElement.id || document.activeElement.dataset.strategy || document.activeElement.localName);

async function onPage(width, action) {
  const browser = await Browser.open(url, width);
  try {
    await action(browser);
    const bad = browser.events.filter(({method, params}) => method === 'Runtime.exceptionThrown' ||
      (method === 'Network.requestWillBeSent' && params.request.url.split('#')[0] !== url));
    assert.deepEqual(bad.map(({method, params}) => params.request?.url ?? method), []);
  } finally {
    await browser.close();
  }
}

async function ask(browser, n, p, strategy) {
  await browser.evaluate(hash => new Promise(done => {
    addEventListener('hashchange', done, {once: true}); // after the page's own listener
    if (location.hash === hash) done();
    location.hash = hash;
  }), `#${new URLSearchParams({n, p, strategy})}`);
  await browser.drawn();
}

test('its numbers are the library\'s', () => onPage(1100, async browser => {
  for (const [rows, least] of [[planRows(tool), 1500], [loadRows(loads), 5000]]) {
    const answers = JSON.parse(await browser.evaluate(
      `(rows => JSON.stringify((${answerAll})(rows), (key, value) => value))`, rows));
    compare(rows, answers, least);
  }
}));

test('what is shown is what the tool says', () => onPage(1100, async browser => {
  for (const row of planRows(tool).filter(({n, p}) => n === '12345678' && p === '0.001')) {
    await ask(browser, row.n, row.p, row.name);
    assert((await textOf(browser, 'bytes')).endsWith(`${row.bytes.toLocaleString('en-US')} bytes`));
    assert((await textOf(browser, 'bits')).endsWith(row.bits.toLocaleString('en-US')));
    assert.equal(await textOf(browser, 'probes'), String(row.probes));
    assert((await textOf(browser, 'fpp')).endsWith(String(Number(row.fpp.toPrecision(3)))));
  }
}));

test('it begins with the default, and follows p', () => onPage(1100, async browser => {
  const shown = () => browser.evaluate(() => ({name: document.querySelector('tr.chosen button').dataset.strategy,
    asked: document.getElementById('strategy').value, command: document.getElementById('command').textContent}));
  const first = await shown();
  assert.deepEqual([first.asked, first.name], ['default', 'fast-pair']);
  assert.doesNotMatch(first.command, /strategy/);
  await ask(browser, '1M', '0.0049', 'default');
  assert.equal((await shown()).name, 'fast');
}));

test('windows and growing filters are shown', () => onPage(1100, async browser => {
  await ask(browser, '1M', '1e-6', 'default');
  const rows = await browser.evaluate(() => [...document.querySelectorAll('#kinds tr')].map(
    row => [...row.children].map(({textContent}) => textContent)));
  assert.deepEqual(rows.map(([name]) => name),
    ['window, G = 1', 'window, G = 3', 'window, G = 7', 'grown from an unknown n', 'grown from n / 10']);
  const {generations} = JSON.parse(execFileSync(tool,
    ['plan', '--json', '--window', '1h', '-n', '1M', '-p', '1e-6'], {encoding: 'utf8'}));
  for (const [i, {bits_per_key}] of Object.values(generations).entries())
    assert.equal(rows[i][2], String(Number(bits_per_key.toPrecision(3))));
}));

test('one sees where the keyboard is', () => onPage(1100, async browser => {
  const outlined = () => getComputedStyle(document.activeElement).outlineStyle !== 'none' &&
    parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2;
  const visited = [];
  for (let i = 0; i < 14; i++) {
    await browser.press('Tab');
    visited.push(await idOfFocus(browser));
    assert(await browser.evaluate(outlined), `no outline on ${visited[i]}`);
  }
  assert.deepEqual(visited, ['n', 'p', 'strategy', 'load', 'summary', 'summary', 'fast',
    'guava-mitz32', 'guava-mitz64', 'sbbf', 'java-double', 'go-fnv14', 'redis-mitz32', 'fast-pair']);
  await browser.press('Enter');
  assert.equal(await browser.evaluate(() => document.getElementById('strategy').value), 'fast-pair');
  assert.equal(await idOfFocus(browser), 'fast-pair');
}));

test('all is asked without a mouse', () => onPage(1100, async browser => {
  await browser.press('Tab');
  await browser.type('10M');
  await browser.press('Tab');
  await browser.type('0.1%');
  await browser.press('Tab');
  for (let i = 0; i < 3; i++) await browser.press('ArrowDown');
  await browser.drawn();
  assert.equal(await browser.evaluate(() => location.hash), '#n=10M&p=0.1%25&strategy=guava-mitz64');
  assert.match(await textOf(browser, 'bits'), /143,775,936$/);
  await browser.press('Tab');
  await browser.press('Home');
  assert.match(await textOf(browser, 'load-said'), /^100k keys \(1 % of n\)/);
  await browser.press('End');
  assert.match(await textOf(browser, 'load-said'), /^20M keys \(200 % of n\)/);
}));

test('what cannot be is said once, and leaves no figures', () => onPage(1100, async browser => {
  const rows = [['x', '0.01', 'n', /^n: ‘x’ is not a number/], ['', '0.01', 'n', /^n: ‘’ is not a number/],
    ['1.5', '0.01', 'n', /^n: not a whole number$/], ['1e20', '0.01', 'n', /^n: more than 2\^64 - 1$/],
    ['1M', '0', 'p', /^p: .*greater than 0$/], ['1M', '1', 'p', /^p: .*less than 1$/],
    ['1M', 'often', 'p', /^p: ‘often’ is not a probability/], ['-1', '2', 'n', /^n: ‘-1’ is not a number/]];
  for (const [n, p, field, message] of rows) {
    await ask(browser, '1M', '0.01', 'fast');
    assert.equal(await textOf(browser, 'error'), '');
    await ask(browser, n, p, 'fast');
    assert.match(await textOf(browser, 'error'), message);
    const seen = await browser.evaluate(() => ({
      invalid: [...document.querySelectorAll('[aria-invalid=true]')].map(({id}) => id),
      figures: [...document.querySelectorAll('dd')].map(({textContent}) => textContent).join(''),
      left: document.querySelectorAll('main svg, tbody tr').length,
      said: document.getElementById('command').textContent + document.getElementById('load-said').textContent,
      still: document.getElementById('load').disabled}));
    assert.deepEqual(seen, {invalid: [field], figures: '–––––', left: 0, said: '', still: true});
  }
  await ask(browser, '1e12', '0.01', 'java-double');
  assert.match(await textOf(browser, 'warning'), /^java-double cannot do that: the filter is larger than/);
  await ask(browser, '1e9', '0.001', 'guava-mitz32');
  assert.match(await textOf(browser, 'warning'), /^Its probes reach 2\^31 bits only/);
}));

test('it fits on a phone', () => onPage(360, async browser => {
  for (const width of [320, 360, 768]) {
    await browser.resize(width);
    for (const [n, p, name] of [['1M', '0.01', 'fast'], ['18446744073709551615', '1e-300', 'guava-mitz64'],
      ['1e15', '0.9999999999999999', 'redis-mitz32'], ['12345678901', '1e-6', 'sbbf'], ['x', '1', 'go-fnv14']]) {
      await ask(browser, n, p, name);
      await browser.evaluate(() => document.querySelectorAll('details').forEach(one => { one.open = true; }));
      // Not innerWidth: a phone makes that as wide as the page.
      const wide = await browser.evaluate(most => [...document.querySelectorAll('body *:not(.unseen)')]
        .filter(one => !one.closest('svg') && one.getBoundingClientRect().right > most + 0.5)
        .map(one => one.outerHTML.slice(0, 80)), width);
      assert.deepEqual(wide, [], `n ${n}, p ${p}, ${name}, width ${width}`);
      const whole = await browser.evaluate(() => document.documentElement.scrollWidth);
      assert(whole <= width, `${name}: ${whole} of ${width}`);
    }
  }
  await ask(browser, '1M', '0.01', 'fast');
  const small = await browser.evaluate(() => [...document.querySelectorAll('input, select, button, summary')]
    .filter(one => one.getBoundingClientRect().height < 24).map(one => one.outerHTML.slice(0, 60)));
  assert.deepEqual(small, [], 'too small for a finger');
}));

test('everything has a name', () => onPage(1100, async browser => {
  const {nodes} = await browser.send('Accessibility.getFullAXTree');
  const roles = ['textbox', 'combobox', 'slider', 'button', 'image', 'table', 'region'];
  const found = nodes.filter(({ignored, role}) => !ignored && roles.includes(role?.value));
  for (const role of roles.filter(one => one !== 'table'))
    assert(found.some(node => node.role.value === role), role);
  const nameless = found.filter(({role, name}) => role.value !== 'table' && !name?.value);
  assert.deepEqual(nameless.map(({role}) => role.value), []);
  assert.match(await browser.evaluate(
    () => document.getElementById('load').getAttribute('aria-valuetext')), /^1M keys/);
}));

// All text against its background: a contrast of at least 4.5 to 1, as WCAG 2 requires.
test('it can be read by day and by night', () => onPage(1100, async browser => {
  for (const scheme of ['light', 'dark']) {
    await browser.scheme(scheme);
    await ask(browser, 'x', '0.01', 'fast');
    const message = await browser.evaluate(poorlyRead);
    await ask(browser, '1M', '0.01', 'fast');
    const poor = await browser.evaluate(poorlyRead);
    assert.deepEqual([...message.poor, ...poor.poor], [], scheme);
    assert(poor.looked > 60, `${poor.looked} texts`);
  }
}));

function poorlyRead() {
  const parts = colour => colour.match(/[\d.]+/g).map(Number);
  const light = colour => parts(colour).slice(0, 3).map(part => part / 255)
    .map(part => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = one => {
    const colour = getComputedStyle(one).backgroundColor, alpha = parts(colour)[3] ?? 1;
    return alpha > 0 ? colour : behind(one.parentElement);
  };
  const texts = [...document.querySelectorAll('body *')].filter(one => !one.closest('script, option') &&
    one.getClientRects().length > 0 && [...one.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
  const poor = texts.filter(one => {
    const style = getComputedStyle(one), ink = one.closest('svg') ? style.fill : style.color;
    const [low, high] = [light(ink), light(behind(one))].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05) < 4.5;
  });
  return {looked: texts.length, poor: poor.map(one => one.outerHTML.slice(0, 80))};
}

// The mark of the request is on the curve of the chosen strategy, and at its place on the axes:
// in the middle of the loads.
test('the curves are where they belong', () => onPage(1100, async browser => {
  const drawn = () => [...document.querySelectorAll('.pictures > svg')].map(svg => {
    const mark = svg.querySelector('circle'), curve = svg.querySelector('.curve.chosen');
    const at = {x: Number(mark.getAttribute('cx')), y: Number(mark.getAttribute('cy'))};
    let nearest = Infinity;
    for (let i = 0, all = curve.getTotalLength(); i <= 2000; i++) {
      const {x, y} = curve.getPointAtLength(all * i / 2000);
      nearest = Math.min(nearest, Math.hypot(x - at.x, y - at.y));
    }
    const axis = svg.querySelector('.axis'), [x1, x2] = ['x1', 'x2'].map(end => Number(axis.getAttribute(end)));
    const grid = [...svg.querySelectorAll('.grid')].map(line => Number(line.getAttribute('y1')));
    return {nearest, along: (at.x - x1) / (x2 - x1), rises: curve.getPointAtLength(0).y > curve.getPointAtLength(1e6).y,
      curves: svg.querySelectorAll('.curve').length, ticks: grid.length};
  });
  for (const name of ['fast', 'fast-pair', 'sbbf', 'guava-mitz64', 'java-double']) {
    await ask(browser, '1000000', '0.001', name);
    const [load, memory] = await browser.evaluate(drawn);
    for (const {nearest, rises, curves, ticks} of [load, memory]) {
      assert(nearest < 4, `${name}: the mark is ${nearest} beside its curve`);
      assert(rises && curves === 5 && ticks >= 6, `${name}: ${curves} curves, ${ticks} lines`);
    }
    assert(Math.abs(load.along - 0.5) < 0.01, `${name}: n at ${load.along}`);
    assert(Math.abs(memory.along - 2 / 11) < 0.01, `${name}: p at ${memory.along}`);
  }
}));
