import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ListedRun } from '@subluminal/ui/protocol';
import { day, type Day } from '../../day/day.js';
import { MISSING, openPage, startBrowser } from './kit/browser.js';

const PAGE = 100;

/** Answers the list of runs from so many made ones, and tells what was asked for. */
async function manyRuns(page: Page, count: number): Promise<readonly string[]> {
  const asked: string[] = [];
  const runAt = (seq: number): ListedRun => ({
    run: `01RUN${String(seq).padStart(21, '0')}`,
    seq,
    agent: `agent-${seq}`,
    client: 'codex',
    env: 'dev',
    attested: false,
    folder: null,
    began: 1_800_000_000_000 + seq,
    ended: 1_800_000_001_000 + seq,
    state: 'completed',
    calls: 1,
    refused: 0,
    asked: 0,
    errors: 0,
    net: 0,
    net_refused: 0,
    names_refused: 0,
    unusual: 0,
    spark: null,
  });
  await page.route('**/ui/api/runs?*', async (route) => {
    const before = new URL(route.request().url()).searchParams.get('before');
    if (before !== null) asked.push(before);
    const top = before === null ? count : Number(before) - 1;
    const runs = Array.from({ length: Math.min(PAGE, top) }, (_, at) => runAt(top - at));
    const next = top > PAGE ? top - PAGE + 1 : null;
    await route.fulfill({ json: { runs, next } });
  });
  return asked;
}

describe.skipIf(MISSING !== null)(`pages of a session${MISSING === null ? '' : ` (${MISSING})`}`, () => {
  let at: Day;
  let browser: Browser;
  beforeAll(async () => {
    [at, browser] = await Promise.all([day(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await at.remove();
  });

  it('read older runs on from the last, whatever is read again meanwhile', async () => {
    const opened = await openPage(browser, at.at.home, { at: 'inbox' });
    const { page } = opened;
    const asked = await manyRuns(page, 1000);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    const older = page.getByRole('button', { name: 'Older runs' });
    for (const before of ['901', '801', '701']) {
      await Promise.all([
        older.click(),
        page.waitForResponse((response) => response.url().includes(`before=${before}`)),
      ]);
      // The newest are read again between two presses.
      for (let times = 0; times < 2; times += 1)
        await page.waitForResponse((response) => !response.url().includes('before='));
    }
    expect(asked).toEqual(['901', '801', '701']);
    await opened.expectClean();
    await opened.close();
  });

  it('read on for words until a run has them, twenty pages at most, and say how many were looked at', async () => {
    const opened = await openPage(browser, at.at.home, { at: 'inbox' });
    const { page } = opened;
    const asked = await manyRuns(page, 3000);
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Filter runs' });
    await field.fill('agent-2650');
    await page.getByText('1 of 400 looked at', { exact: true }).waitFor();
    expect(asked).toEqual(['2901', '2801', '2701']);
    await field.fill('of-no-agent');
    await page.getByText('0 of 2,400 looked at', { exact: true }).waitFor();
    await page.getByText('None of the 2,400 newest runs has these words.').waitFor();
    // The rest is read when somebody asks for it, to the end.
    await page.getByRole('button', { name: 'Older runs' }).click();
    await page.getByText('0 of 3,000 looked at', { exact: true }).waitFor();
    expect(asked).toHaveLength(29);
    await opened.expectClean();
    await opened.close();
  });

  it('open beside each other by a press with Ctrl, and are over together', async () => {
    const opened = await openPage(browser, at.at.home);
    const { page, context } = opened;
    const [other] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Runs', exact: true }).click({ modifiers: ['Control'] }),
    ]);
    await other.getByRole('list', { name: 'State' }).waitFor();
    expect(new URL(other.url()).pathname).toBe('/ui/runs');
    // It is a page like the first: loaded again it goes on, and others get the token of it.
    await other.reload();
    await other.getByRole('list', { name: 'State' }).waitFor();
    const answers = (message: unknown): Promise<number> =>
      other.evaluate(async (said) => {
        const channel = new BroadcastChannel('subl');
        let count = 0;
        channel.addEventListener('message', () => {
          count += 1;
        });
        channel.postMessage(said);
        await new Promise((resolve) => setTimeout(resolve, 300));
        channel.close();
        return count;
      }, message);
    for (const said of [null, 'ask', {}, { t: 'answer' }, { t: 'token', token: 7 }, ['ask']])
      expect(await answers(said)).toBe(0);
    expect(await answers({ t: 'ask' })).toBe(2);
    await page.getByRole('link', { name: /^record/ }).click();
    await page.getByRole('button', { name: 'End this session' }).click();
    for (const one of [page, other]) await one.getByText('This page has no session').waitFor();
    const late = await context.newPage();
    await late.goto(page.url());
    await late.getByText('This page has no session').waitFor();
    await opened.expectClean();
    await opened.close();
  });

  it('ask for hints again every five seconds at most, however busy a run is', async () => {
    const opened = await openPage(browser, at.at.home, { at: 'inbox' });
    const { page } = opened;
    let asked = 0;
    page.on('request', (request) => {
      if (/\/ui\/api\/(?:hints|records\?f=decision%3Ahinted)/.test(request.url())) asked += 1;
    });
    const began = performance.now();
    await page.getByRole('link', { name: 'Hints', exact: true }).click();
    await page.getByRole('heading', { name: 'Refused with a way on' }).waitFor();
    for (let call = 0; call < 16; call += 1) {
      await at.run.decided(`echo busy ${call}`);
      await page.waitForTimeout(250);
    }
    const seconds = (performance.now() - began) / 1000;
    expect(asked).toBeLessThanOrEqual(2 * (1 + Math.floor(seconds / 5)));
    // Hints that came meanwhile stand there all the same.
    await at.run.decided('rm -rf late');
    await page.getByText('rm -rf late', { exact: true }).waitFor();
    await opened.expectClean();
    await opened.close();
  });
});
