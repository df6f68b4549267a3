/**
 * The page in a browser: a call beside an open one and beside none, in pairs; the first paint; and scrolling
 * beside the bare pool of elements that its list is made of.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { callCost, PACE_MS, processorUs } from '../call-cost.mjs';
import { openHome } from '../home.mjs';
import { figure, median, percentile, table, throughput } from '../measure.mjs';
import { openSession } from '../stdio-client.mjs';
import { poolPage } from '../subjects/pool-page.mjs';

const BROWSERS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const CHROMIUM = BROWSERS.find((path) => existsSync(path)) ?? BROWSERS[0];
const file = (path) => fileURLToPath(new URL(path, import.meta.url));
const node = process.execPath;
const server = [node, file('../subjects/echo-server.mjs')];
const VIEW = { width: 1440, height: 900 };
const FRAMES = 240;
/** An open page has been open for a while: its opening has a line of its own. */
const OPEN_MS = 3000;
/** A page checks what it was told within that time. */
const CHECKED_MS = 6000;

export async function page({ short }) {
  if (!existsSync(CHROMIUM)) {
    console.log(`skipped: there is no ${CHROMIUM}`);
    return;
  }
  const size = short
    ? { pairs: 1, warm: 100, many: 500, lone: 30, paced: 20, afterMs: 0, rows: [500, 1500], rounds: 1 }
    : {
        pairs: 15,
        warm: 500,
        many: 5000,
        lone: 100,
        paced: 200,
        afterMs: CHECKED_MS,
        rows: [10_000, 100_000],
        rounds: 3,
      };
  const home = openHome('fsync');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    home.up();
    await beside(home, browser, size);
    await scrolls(home, browser, size);
  } finally {
    await browser.close();
    home.remove();
  }
}

/** Opens the page of a home, and waits until it follows. */
async function open(home, browser) {
  const args = [home.sub, 'ui', '--no-open', '--json', '--home', home.home];
  const { address } = JSON.parse(execFileSync(node, args, { encoding: 'utf8' }));
  const context = await browser.newContext({ viewport: VIEW });
  const opened = await context.newPage();
  await opened.goto(address);
  await opened.locator('.list').waitFor();
  return opened;
}

/** The shim's client is a process of its own: the browser and this one stand outside of its run. */
async function session(home) {
  const opened = await openSession([
    node,
    file('../subjects/relay.mjs'),
    home.sub,
    ...home.shimArgs('echo'),
    ...server,
  ]);
  const [shim] = readFileSync(`/proc/${opened.pid}/task/${opened.pid}/children`, 'utf8').trim().split(' ');
  return { ...opened, pid: Number(shim) };
}

async function beside(home, browser, { pairs, ...size }) {
  const gateway = home.pid();
  const calls = await session(home);
  const taken = { none: [], open: [] };
  const openings = [];
  for (let pair = 0; pair < pairs; pair += 1)
    for (const kind of pair % 2 === 0 ? ['none', 'open'] : ['open', 'none']) {
      const before = processorUs(gateway);
      const opened = kind === 'open' ? await open(home, browser) : undefined;
      await pause(OPEN_MS);
      if (opened !== undefined) openings.push((processorUs(gateway) - before) / 1000);
      taken[kind].push(await callCost(calls, gateway, size));
      await opened?.context().close();
    }
  await calls.close();
  const row = (name, read) => {
    const [none, seen] = [taken.none.map(read), taken.open.map(read)];
    const ratio = median(seen.map((value, at) => value / none[at]));
    return [name, figure(median(none)), figure(median(seen)), figure(ratio)];
  };
  const p50 = ({ result }) => percentile(result, 0.5);
  table(
    [`a call, ${pairs} pairs`, 'no page', 'beside an open one', 'pair by pair (goal 1.1)'],
    [
      row(
        `32 in flight, and ${size.afterMs} ms after: gateway, processor µs`,
        ({ atOnce }) => atOnce.gateway,
      ),
      row('32 in flight: shim', ({ atOnce }) => atOnce.shim),
      row('32 in flight: calls a second', ({ atOnce }) => atOnce.result),
      row(`${PACE_MS} ms apart: gateway`, ({ atPace }) => atPace.gateway),
      row(`${PACE_MS} ms apart: shim`, ({ atPace }) => atPace.shim),
      row(`${PACE_MS} ms apart: p50 µs`, ({ atPace }) => p50(atPace)),
    ],
  );
  console.log(`\nopening it: gateway, processor ms in the first seconds: ${figure(median(openings))}\n`);
}

async function scrolls(home, browser, { rows, rounds }) {
  const opened = await open(home, browser);
  const calls = await session(home);
  const lines = [];
  let there = 0;
  try {
    for (const wanted of rows) {
      await throughput(calls.call, wanted - there, 32);
      there = wanted;
      await opened.waitForFunction(
        (least) => Number(document.querySelector('.list')?.getAttribute('aria-rowcount')) >= least * 0.9,
        wanted,
        { timeout: 120_000 },
      );
      const bare = await (await browser.newContext({ viewport: VIEW })).newPage();
      await bare.setContent(poolPage(wanted));
      for (const [name, step] of [
        ['slowly', 60],
        ['quickly', 2200],
      ]) {
        const samples = { page: [], pool: [] };
        for (let round = 0; round < rounds; round += 1) {
          samples.pool.push(await frame(bare, step));
          samples.page.push(await frame(opened, step));
        }
        const ratio = median(samples.page.map((ms, at) => ms / samples.pool[at]));
        lines.push([
          `${wanted} rows, ${name}`,
          figure(median(samples.pool)),
          figure(median(samples.page)),
          figure(ratio),
        ]);
      }
      await bare.context().close();
    }
  } finally {
    await calls.close();
    await opened.context().close();
  }
  table(['scrolling, main thread ms a frame', 'bare pool', 'page', 'ratio (goal 1.3)'], lines);
  await paints(home, browser);
}

/** The first paint of the page, and of a document of one word: the browser starts a process for both. */
async function paints(home, browser) {
  const word = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>word'));
  word.listen(0, '127.0.0.1');
  await once(word, 'listening');
  const bare = async () => {
    const one = await (await browser.newContext({ viewport: VIEW })).newPage();
    await one.goto(`http://127.0.0.1:${word.address().port}/`);
    return one;
  };
  const taken = { bare: [], page: [] };
  for (let round = 0; round < 7; round += 1) {
    taken.bare.push(await firstPaint(await bare()));
    taken.page.push(await firstPaint(await open(home, browser)));
  }
  word.close();
  const { seq } = home.status().ledger;
  console.log(
    `\nfirst paint over ${seq} entries: ${figure(median(taken.page))} ms (goal 300); of a document of one word: ${figure(median(taken.bare))} ms`,
  );
}

async function firstPaint(one) {
  await pause(500);
  const ms = await one.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
  );
  await one.context().close();
  return ms;
}

/** Main thread time of one frame while a list scrolls from its middle, in ms. */
async function frame(opened, step) {
  const devtools = await opened.context().newCDPSession(opened);
  await devtools.send('Performance.enable');
  const busy = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  };
  const before = await busy();
  await opened.evaluate(
    async ({ frames, by }) => {
      const list = document.querySelector('.list');
      list.scrollTop = list.scrollHeight / 3;
      for (let at = 0; at < frames; at += 1) {
        list.scrollTop += by;
        await new Promise((resolve) => {
          requestAnimationFrame(resolve);
        });
      }
    },
    { frames: FRAMES, by: step },
  );
  const spent = (await busy()) - before;
  await devtools.detach();
  return spent / FRAMES;
}
