import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { day, type Day } from '../../day/day.js';
import { expectAria, type Names } from './kit/aria.js';
import { MISSING, openPage, startBrowser } from './kit/browser.js';

vi.setConfig({ testTimeout: 360_000 });

/** Each view: its file, its address, and what is there once it has been read. */
const VIEWS = (at: Day): readonly (readonly [string, string, RegExp])[] => [
  ['live', '', /rm -rf coverage/],
  ['live-filtered', '?f=decision:refused', /notes\.send_mail/],
  ['record', `record/${at.refused}`, /^checked$/],
  ['runs', 'runs', /fixer/],
  ['run', `runs/${at.ended}`, /SessionEnd|session end/i],
  ['inbox', 'inbox', /3 wait for you/],
  ['hints', 'hints', /rm -rf coverage/],
  ['policy', 'policy', /no-reading-of-credentials/],
  ['worlds', 'worlds', /No world has changed anything/],
  ['health', 'health', /hashed again and give the root/],
];

// After a change that is meant: RENEW_ARIA=1 npx vitest run tests/ui/page/aria.test.ts; read the difference.
describe.skipIf(MISSING !== null)(
  `what a screen reader gets of the page${MISSING === null ? '' : ` (${MISSING})`}`,
  () => {
    let at: Day;
    let browser: Browser;
    let names: Names;
    beforeAll(async () => {
      [at, browser] = await Promise.all([day(), startBrowser()]);
      names = [
        [at.at.home, 'HOME'],
        [at.shop, 'SHOP'],
        [at.user, 'USER'],
        [at.at.root, 'ROOT'],
        [process.cwd(), 'FOLDER'],
        [at.run.id, 'LIVE'],
        [at.ended, 'ENDED'],
        [at.run.id.slice(-6), 'LIVE'],
        [at.ended.slice(-6), 'ENDED'],
      ];
    });
    afterAll(async () => {
      await browser.close();
      await at.remove();
    });

    it('is the same as before, view by view', async () => {
      const opened = await openPage(browser, at.at.home, { height: 4000 });
      const { page } = opened;
      const base = new URL('/ui/', page.url()).href;
      for (const [name, path, there] of VIEWS(at)) {
        await page.goto(`${base}${path}`);
        await page.getByRole('main').getByText(there).first().waitFor();
        await page.getByText(/^record intact to/).waitFor();
        await expectAria(page, name, names);
      }
      await opened.expectClean();
      await opened.close();
    });

    it('is the same as before, dialog by dialog, and without a session', async () => {
      const opened = await openPage(browser, at.at.home, { at: 'health' });
      const { page } = opened;
      await page.getByText(/^record intact to/).waitFor();
      const dialog = page.getByRole('dialog');
      await page.keyboard.press('?');
      await dialog.waitFor();
      await expectAria(page, 'dialog-keys', names);
      await page.keyboard.press('Escape');
      await expect.poll(() => dialog.count()).toBe(0);
      await page.keyboard.press(':');
      await dialog.waitFor();
      await expectAria(page, 'dialog-go-to', names);
      await page.keyboard.press('Escape');
      await expect.poll(() => dialog.count()).toBe(0);
      await page.getByRole('main').getByRole('button', { name: 'Stop everything' }).click();
      await dialog.waitFor();
      await expectAria(page, 'dialog-stop', names);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'End this session' }).click();
      await page.getByRole('heading', { name: 'This page has no session' }).waitFor();
      await expectAria(page, 'gate', names);
      await opened.expectClean();
      await opened.close();
    });
  },
);
