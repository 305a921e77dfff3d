// browser.mjs - a headless Chromium that a test controls over two pipes of the DevTools
// protocol: no port, and no profile left behind.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
  '--no-first-run', '--disable-extensions', '--disable-background-networking',
  '--remote-debugging-pipe'];

// The keys that a test presses, with the protocol's codes.
const KEYS = {Tab: 9, Enter: 13, End: 35, Home: 36, ArrowLeft: 37, ArrowRight: 39, ArrowDown: 40,
  ArrowUp: 38, a: 65};

export class Browser {
  // Opens one page of this width. Its events are in this.events.
  static async open(url, width) {
    const browser = new Browser();
    const {targetId} = await browser.send('Target.createTarget', {url: 'about:blank'});
    const {sessionId} = await browser.send('Target.attachToTarget', {targetId, flatten: true});
    browser.session = sessionId;
    for (const domain of ['Page', 'Runtime', 'Network', 'Accessibility'])
      await browser.send(`${domain}.enable`);
    await browser.resize(width);
    await browser.visit(url);
    return browser;
  }

  constructor() {
    this.folder = mkdtempSync(join(process.env.TEST_TMPDIR || tmpdir(), 'browser-'));
    this.process = spawn(process.env.CHROMIUM || 'chromium',
      [...FLAGS, `--user-data-dir=${this.folder}`],
      {stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
        env: {...process.env, HOME: this.folder}});
    this.process.on('error', error => {
      console.log(`chromium does not start: ${error.message}; install chromium, or set CHROMIUM`);
      process.exit(1);
    });
    this.waiting = new Map();
    this.events = [];
    this.sent = 0;
    let rest = '';
    this.process.stdio[4].setEncoding('utf8').on('data', text => {
      const messages = (rest + text).split('\0');
      rest = messages.pop();
      for (const message of messages) this.receive(JSON.parse(message));
    });
  }

  receive(message) {
    if (message.id === undefined) return void this.events.push(message);
    const {resolve, reject} = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }

  send(method, params = {}) {
    const id = ++this.sent;
    this.process.stdio[3].write(`${JSON.stringify({id, method, params, sessionId: this.session})}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, {resolve, reject}));
  }

  resize(width, height = 900, mobile = width < 600) {
    return this.send('Emulation.setDeviceMetricsOverride', {width, height, deviceScaleFactor: 1, mobile});
  }

  scheme(value) {
    return this.send('Emulation.setEmulatedMedia', {features: [{name: 'prefers-color-scheme', value}]});
  }

  async visit(url) {
    await this.send('Page.navigate', {url});
    await this.until(() => document.readyState === 'complete');
    await this.drawn();
  }

  // Calls a function in the page, and returns its result. Arguments and result are sent as JSON.
  async evaluate(action, ...given) {
    const {result, exceptionDetails} = await this.send('Runtime.evaluate', {
      expression: `(${action})(...${JSON.stringify(given)})`, awaitPromise: true, returnByValue: true});
    assert(!exceptionDetails, JSON.stringify(exceptionDetails));
    return result.value;
  }

  async until(condition, ...given) {
    while (!await this.evaluate(condition, ...given)) continue;
  }

  // Waits two frames: a change is then on the page.
  drawn() {
    return this.evaluate(() => new Promise(
      done => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));
  }

  async press(key, modifiers = 0) {
    const one = {key, modifiers, code: key.length === 1 ? `Key${key.toUpperCase()}` : key,
      windowsVirtualKeyCode: KEYS[key]};
    await this.send('Input.dispatchKeyEvent', {type: 'keyDown', ...one, text: key === 'Enter' ? '\r' : '',
      commands: key === 'a' && modifiers === 2 ? ['selectAll'] : []});
    await this.send('Input.dispatchKeyEvent', {type: 'keyUp', ...one});
  }

  // Replaces the text of the focused field.
  async type(text) {
    await this.press('a', 2);
    await this.send('Input.insertText', {text});
    await this.drawn();
  }

  async picture(path) {
    const {data} = await this.send('Page.captureScreenshot', {captureBeyondViewport: true});
    writeFileSync(path, Buffer.from(data, 'base64'));
  }

  async close() {
    const ended = once(this.process, 'exit');
    this.process.stdio[3].write(`${JSON.stringify({id: ++this.sent, method: 'Browser.close'})}\0`);
    this.waiting.set(this.sent, {resolve: () => {}, reject: () => {}});
    await ended;
    rmSync(this.folder, {recursive: true, force: true, maxRetries: 5});
  }
}
