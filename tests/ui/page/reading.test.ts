import type { RecordsPage } from '@subluminal/ui/protocol';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POLICY } from '../../day/policies.js';
import { toolCall, toolEnd } from '../../gateway/harness.js';
import { askingRun, type AskingRun } from '../../harness/asking.js';
import { createHome, stopGateway, type TestHome } from '../../harness/home.js';
import { ask } from '../kit/page.js';
import { MISSING, openPage, startBrowser, type Opened } from './kit/browser.js';
import { press } from './kit/press.js';

const EXPIRED = 4;
const CALLS = 30;
/** Records that a slow gateway looks at before its time is up. */
const IN_TIME = 5;

/** Lets requests wait until somebody says go. */
class Gate {
  #open: () => void = () => undefined;
  #passed = Promise.resolve();

  shut(): void {
    this.#passed = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }

  get passed(): Promise<void> {
    return this.#passed;
  }
}

describe.skipIf(MISSING !== null)(
  `reading that takes its time${MISSING === null ? '' : ` (${MISSING})`}`,
  () => {
    let at: TestHome;
    let run: AskingRun;
    let browser: Browser;
    let opened: Opened;
    let page: Page;
    const rows = (): Locator => page.getByRole('row');
    const open = async (where: string): Promise<void> => {
      opened = await openPage(browser, at.home, { at: where });
      ({ page } = opened);
    };
    const done = async (): Promise<void> => {
      await opened.expectClean();
      await opened.close();
    };
    const byKey = async (button: Locator): Promise<void> => {
      await button.focus();
      await page.keyboard.press('Enter');
    };
    const call = async (path: string): Promise<void> => {
      const begin = toolCall({ server_name: 'fs', tool_name: 'read_file', args: { path } });
      await run.client.request('tool.call.begin', begin);
      await run.client.request('tool.call.end', toolEnd(begin.call_id));
    };
    beforeAll(async () => {
      at = createHome({ policy: POLICY, config: '[retention]\npreview_days = 0\n' });
      [browser] = await Promise.all([startBrowser(), at.startWatched()]);
      run = await askingRun(at.home);
      for (let count = 0; count < EXPIRED; count += 1) await call(`/srv/expired-${count}`);
      await run.end();
      // A gateway that starts lets go of all that is not to be kept.
      await stopGateway(at.home);
      await at.startWatched();
      run = await askingRun(at.home);
      for (let count = 0; count < CALLS; count += 1) await call(`/srv/kept-${count}`);
    });
    afterAll(async () => {
      await browser.close();
      await run.end();
      await at.remove();
    });

    it('says how many records are left out since nobody can tell any more whether they fit', async () => {
      await open('?f=server%3Afs%20text%3Akept');
      await page
        .getByText(`${EXPIRED} left out: too little is kept of them to tell`, { exact: true })
        .waitFor();
      await expect.poll(() => rows().count()).toBe(CALLS);
      await page.getByRole('button', { name: 'Remove text:kept' }).click();
      await expect.poll(() => page.getByText(/left out/).count()).toBe(0);
      await expect
        .poll(async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount')))
        .toBe(CALLS + EXPIRED);
      await done();
    });

    it.each([
      ['Live', '', '**/ui/api/records?*', (): Locator => page.getByRole('progressbar', { name: 'Loading' })],
      ['Runs', 'runs', '**/ui/api/runs?*', (): Locator => page.getByText('Loading', { exact: true })],
      ['Inbox', 'inbox', '**/ui/api/inbox', (): Locator => page.getByText('Reading', { exact: true })],
    ] as const)('is told as such in %s for as long as it lasts', async (_, where, route, word) => {
      await open('health');
      const gate = new Gate();
      gate.shut();
      await page.route(route, (asked) => gate.passed.then(() => asked.continue()));
      await page.goto(new URL(`/ui/${where}`, page.url()).href);
      await word().waitFor({ state: 'attached' });
      expect(await rows().count()).toBe(0);
      gate.open();
      await word().waitFor({ state: 'detached' });
      await done();
    });

    it.each(['pointer', 'key'] as const)(
      'that fails at first stands with why, and is done again by its button: by %s',
      async (by) => {
        await open('health');
        let isDown = true;
        await page.route('**/ui/api/records?*', (asked) => (isDown ? asked.abort() : asked.continue()));
        await page.goto(new URL('/ui/', page.url()).href);
        const why = page.getByRole('alert').filter({ hasText: 'the gateway does not answer' });
        await why.getByText('sub status').waitFor();
        const retry = page.getByRole('button', { name: 'Retry' });
        // Nobody is told twice, and what fails again says so again.
        await (by === 'pointer' ? retry.click() : byKey(retry));
        await why.waitFor();
        isDown = false;
        await (by === 'pointer' ? retry.click() : byKey(retry));
        await rows().last().waitFor();
        await expect.poll(() => why.count()).toBe(0);
        await done();
      },
    );

    it('that fails at first in Runs is done again by itself', async () => {
      await open('health');
      let isDown = true;
      await page.route('**/ui/api/runs?*', (asked) => (isDown ? asked.abort() : asked.continue()));
      await page.goto(new URL('/ui/runs', page.url()).href);
      await page.getByRole('alert').filter({ hasText: 'the gateway does not answer' }).waitFor();
      isDown = false;
      await rows().first().waitFor();
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
      await done();
    });

    it.each([
      ['hints', 'No hint can be promoted now'],
      ['policy', /, everywhere$/],
      ['health', 'Proved elsewhere'],
      ['worlds', 'No world has changed anything'],
      ['record/2', /^./],
    ])('that fails at first in %s is done again by its button', async (view, says) => {
      await open('runs');
      let isDown = true;
      await page.route(`**/ui/api/${view}`, (route) => (isDown ? route.abort() : route.continue()));
      await page.goto(new URL(`/ui/${view}`, page.url()).href);
      const why = page.getByRole('alert').filter({ hasText: 'the gateway does not answer' });
      await why.waitFor();
      const retry = page.getByRole('button', { name: 'Retry' });
      await retry.click();
      await expect.poll(() => retry.isEnabled()).toBe(true);
      await expect.poll(() => why.count()).toBe(1);
      isDown = false;
      // Health reads again by itself, too, and the button is gone then.
      await press(retry, page.getByRole('heading', { name: says }), 'keys');
      await expect.poll(() => page.getByRole('alert').count()).toBe(0);
      await done();
    });

    /**
     * Has the gateway come no further in one answer than a slow one does in its time. Its first answer comes,
     * and the others after `gate` is opened.
     */
    const slowly = async (
      gate: Gate,
      fits: (row: RecordsPage['rows'][number]) => boolean,
    ): Promise<{ readonly asked: () => number }> => {
      let asked = 0;
      // Those of the view before are no matter here.
      page.on('framenavigated', () => {
        asked = 0;
        gate.open();
      });
      await page.route('**/ui/api/records?*', async (route) => {
        asked += 1;
        if (asked === 2) gate.shut();
        await gate.passed;
        const url = new URL(route.request().url());
        const where = `?before=${url.searchParams.get('before')}&limit=${IN_TIME}`;
        const { authorization = '' } = route.request().headers();
        const door = { host: url.hostname, port: Number(url.port) };
        const { status, text } = await ask(door, 'GET', url.pathname + where, { authorization });
        const found = JSON.parse(text) as RecordsPage;
        const partial = found.next !== null;
        const reached = partial ? (found.rows.at(-1)?.ts ?? null) : null;
        const fitting = found.rows.filter(fits);
        await route.fulfill({ status, json: { ...found, partial, reached, rows: fitting } });
      });
      return { asked: () => asked };
    };

    it('goes on by itself until somebody stops it, and on when they say so', async () => {
      await open('health');
      const gate = new Gate();
      const { asked } = await slowly(gate, () => true);
      await page.goto(new URL('/ui/', page.url()).href);
      const count = async (): Promise<number> =>
        Number(await page.getByRole('grid').getAttribute('aria-rowcount'));
      await page.getByText(/^Searched back to \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/).waitFor();
      await expect.poll(asked).toBe(2);
      const first = await count();
      await page.getByRole('button', { name: 'Stop', exact: true }).click();
      gate.open();
      const goOn = page.getByRole('button', { name: 'Go on', exact: true });
      await goOn.waitFor();
      const stopped = await count();
      expect([first > 0, stopped > first, stopped < CALLS, asked()]).toEqual([true, true, true, 2]);
      await byKey(goOn);
      // All of it was searched: there is nothing to go on with.
      await expect.poll(() => page.getByText(/^Searched back to/).count()).toBe(0);
      await expect.poll(count).toBeGreaterThanOrEqual(CALLS + EXPIRED);
      await done();
    });

    it('is stopped and goes on by the same buttons before anything is found', async () => {
      await open('health');
      const gate = new Gate();
      const { asked } = await slowly(gate, ({ object }) => object === '/srv/kept-0');
      await page.goto(new URL('/ui/?f=%2Fsrv%2Fkept-0', page.url()).href);
      await page.getByRole('heading', { name: 'Nothing so far' }).waitFor();
      await expect.poll(asked).toBe(2);
      await byKey(page.getByRole('button', { name: 'Stop', exact: true }));
      gate.open();
      await page.getByRole('button', { name: 'Go on', exact: true }).click();
      await expect.poll(() => rows().count()).toBe(1);
      await done();
    });
  },
);
