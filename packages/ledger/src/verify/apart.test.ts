import type { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import type { PageRange } from './page-source.js';
import type { PageText } from './page-text.js';
import { Threads } from './threading.js';
import { IntegrityApart, PAGES_A_REQUEST, PagesApart } from './threads.js';

const open: { close(): void }[] = [];
const kept = <T extends { close(): void }>(one: T): T => {
  open.push(one);
  return one;
};
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

/** A thread that does what this script says; `work` is what it was started with. */
const script = (text: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(
      `import { parentPort as port, workerData as work } from 'node:worker_threads'; ${text}`,
    )}`,
  );

/** Pages of one entry for as many entries as it was asked for, in order; each says how often it had been asked, as `count` does. */
const PAGES = `let [asked, entry] = [0, 0];
  const { last } = work.files.at(-1);
  port.on('message', (said) => {
    if (said === 'count') return port.postMessage({ count: asked });
    asked += 1;
    for (let sent = 0; sent < ${PAGES_A_REQUEST}; sent += 1) {
      entry += 1;
      const page = entry > last ? null : { first: entry, last: entry, before: '', text: String(asked), hashed: null };
      port.postMessage({ page });
      if (page === null) break;
    }
  });`;

const rangeOf = (last: number): PageRange => ({
  ledgerId: 'L1',
  before: '',
  files: [{ path: 'ledger.db', first: 1, last }],
});

/** Every page, turn by turn. */
async function turns(pages: PagesApart, last: number): Promise<PageText[][]> {
  const all: PageText[][] = [];
  while ((all.at(-1)?.at(-1)?.last ?? 0) < last) all.push([...(await pages.next())]);
  return all;
}

/** The thread that was started just now. */
const startedThread = (): Promise<Worker> => new Promise((resolve) => process.once('worker', resolve));

const ENDED = { code: 'failed', message: 'a thread of the verification ended' };

describe('pages from another thread', () => {
  it.each([1, 7, 8, 9, 24, 25, 100])('come in order and without an end in between: %d', async (last) => {
    const all = await turns(kept(new PagesApart(script(PAGES), rangeOf(last))), last);
    expect(all.flat().map(({ first }) => first)).toEqual(Array.from({ length: last }, (_, at) => at + 1));
    expect(all.every((turn) => turn.length > 0 && turn.length <= PAGES_A_REQUEST)).toBe(true);
  });

  it('are waited for in the order in which they come, and taken where they wait', async () => {
    const pages = kept(new PagesApart(script(PAGES), rangeOf(40)));
    const first = await pages.next();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const rest = await turns(pages, 40);
    expect([[...first], ...rest].flat().map((page) => page.first)).toHaveLength(40);
    // What has come meanwhile is one turn.
    expect(rest.map((turn) => turn.length)).toContain(PAGES_A_REQUEST);
  });

  it('are asked for a few messages ahead, and once for each', async () => {
    const all = await turns(kept(new PagesApart(script(PAGES), rangeOf(400))), 400);
    const texts = all.flat().map(({ text }) => Number(text));
    expect(texts).toEqual(texts.map((_, at) => Math.floor(at / PAGES_A_REQUEST) + 1));
  });

  it('are asked for no further ahead, however fast they come', async () => {
    const pages = kept(new PagesApart(script(PAGES), rangeOf(400)));
    const thread = await startedThread();
    const counted = new Promise((resolve) => {
      thread.on('message', (answer: { count?: number }) => {
        if (answer.count !== undefined) resolve(answer.count);
      });
    });
    const taken = (await turns(pages, 20)).flat().length;
    thread.postMessage('count');
    expect(await counted).toBe(3 + Math.floor(taken / PAGES_A_REQUEST));
  });

  it.each([
    ['another answer', `port.postMessage({ faulty: null })`, 'a thread of the verification gave no pages'],
    ['no page', `port.postMessage({ page: null })`, 'a thread of the verification gave no pages'],
    ['nothing, and ends', 'process.exit(0)', ENDED.message],
    ['an error', `throw new Error('it broke')`, ENDED.message],
  ])('are an error where the thread gives %s', async (_, text, message) => {
    const pages = kept(new PagesApart(script(`port.on('message', () => { ${text} });`), rangeOf(9)));
    await expect(pages.next()).rejects.toMatchObject({ code: 'failed', message });
  });

  it('are an error that names what broke, also where it is asked later', async () => {
    const pages = kept(new PagesApart(script(`throw new Error('it broke')`), rangeOf(9)));
    const failed = { ...ENDED, cause: expect.objectContaining({ message: 'it broke' }) };
    await expect(pages.next()).rejects.toMatchObject(failed);
    await expect(pages.next()).rejects.toMatchObject(failed);
  });

  it('end with the thread where it is closed', async () => {
    const pages = new PagesApart(script(`port.on('message', () => {})`), rangeOf(9));
    const next = pages.next();
    pages.close();
    await expect(next).rejects.toMatchObject(ENDED);
  });
});

const FAULT = { at: 1, finding: { seq: 0, class: 'page', detail: 'it is damaged' } };
const FAULTY = script(
  `if (work.do === 'integrity') port.postMessage({ faulty: ${JSON.stringify(FAULT)} }); else port.on('message', () => {});`,
);

describe('an integrity check in another thread', () => {
  it('says what that found', async () => {
    expect(await kept(new IntegrityApart(FAULTY, [])).faulty()).toEqual(FAULT);
    expect(
      await kept(new IntegrityApart(script('port.postMessage({ faulty: null })'), [])).faulty(),
    ).toBeNull();
  });

  it('is an error where the thread has ended before it is asked', async () => {
    const check = kept(new IntegrityApart(script(''), []));
    const thread = await startedThread();
    await new Promise((resolve) => thread.once('exit', resolve));
    await expect(check.faulty()).rejects.toMatchObject(ENDED);
  });

  it('is an error where the answer is another', async () => {
    const check = kept(new IntegrityApart(script('port.postMessage({ page: null })'), []));
    const message = 'a thread of the verification gave the wrong answer';
    await expect(check.faulty()).rejects.toMatchObject({ code: 'failed', message });
  });

  it('ends with the thread where it is closed', async () => {
    const check = new IntegrityApart(script(`port.on('message', () => {})`), []);
    const faulty = check.faulty();
    check.close();
    await expect(faulty).rejects.toMatchObject(ENDED);
  });
});

describe('both threads of a verification', () => {
  it('are one for the pages and one that tells of damage', async () => {
    const threads = kept(new Threads(FAULTY, 1));
    threads.pages({ ledgerId: 'L1', before: '', files: [] });
    expect(threads.areThreads).toBe(false);
    // No entries are none to start a thread for; what is not checked there is checked here.
    expect(await threads.integrity([])).toBeNull();
    const all = kept(new Threads(FAULTY, 0));
    all.pages({ ledgerId: 'L1', before: '', files: [] });
    expect(all.areThreads).toBe(true);
    expect(await all.integrity([])).toEqual(FAULT);
  });

  it('end where they are closed', async () => {
    const threads = new Threads(script(`port.on('message', () => {})`), 0);
    const asked = [threads.pages({ ledgerId: 'L1', before: '', files: [] }).next(), threads.integrity([])];
    threads.close();
    const reasons = (await Promise.allSettled(asked)).map((one) => one.status === 'rejected' && one.reason);
    expect(reasons).toMatchObject([ENDED, ENDED]);
  });
});
