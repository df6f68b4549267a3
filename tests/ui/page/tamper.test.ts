import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import Database from 'better-sqlite3';
import { day, type Day } from '../../day/day.js';
import { faultsOf } from './kit/axe.js';
import { MISSING, openPage, startBrowser } from './kit/browser.js';

const CHANGED = 30;

/** Changes one entry in the file of the ledger, as somebody who has the file. */
function change(file: string): void {
  const db = new Database(file);
  try {
    const triggers = db
      .prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'trigger'")
      .all();
    for (const { name } of triggers) db.exec(`DROP TRIGGER "${name}"`);
    const { changes } = db
      .prepare(`UPDATE entry SET body = replace(body, ',"type":"', ', "type":"') WHERE seq = ?`)
      .run(CHANGED);
    if (changes !== 1) throw new Error('no entry was changed');
  } finally {
    db.close();
  }
}

describe.skipIf(MISSING !== null)(
  `a record under an open page${MISSING === null ? '' : ` (${MISSING})`}`,
  () => {
    let at: Day;
    let browser: Browser;
    beforeAll(async () => {
      [at, browser] = await Promise.all([day(), startBrowser()]);
    }, 120_000);
    afterAll(async () => {
      await browser.close();
      await at.remove();
    });

    it('is not checked, and says so, where what verifies cannot run', async () => {
      const opened = await openPage(browser, at.at.home, { at: 'health' });
      const { page } = opened;
      await page.route('**/ui/verify.js', (route) => route.abort());
      await page.reload();
      const told = page.getByText('record: not checked', { exact: true });
      await expect.poll(() => told.isVisible(), { timeout: 15_000 }).toBe(true);
      await opened.close();
    });

    it('is whole, and then one entry of it is changed: every view names it, and a reload does, too', async () => {
      const opened = await openPage(browser, at.at.home, { at: 'health' });
      const { page } = opened;
      await page.getByText(/all hashed again and give the root/).waitFor();
      const size = /([\d,]+) entries since .*, all hashed again/.exec(
        await page.getByRole('main').innerText(),
      )?.[1];
      await page.getByText(`record intact to ${size}`, { exact: true }).waitFor();
      await page.getByText(/lists, filters, counts, and texts that are kept beside an entry/).waitFor();
      // Two walks at once find nothing in a record that is whole.
      for (let press = 0; press < 5; press += 1) {
        await page.getByRole('button', { name: 'Verify all now' }).click();
        await page.keyboard.press('v');
      }
      await page.waitForTimeout(1500);
      expect(await page.getByText('does not fit').count()).toBe(0);
      change(at.at.ledger);
      await page.keyboard.press('v');
      const says = page.getByRole('alert').filter({ hasText: `Entry ${CHANGED} does not fit` });
      await says.first().waitFor();
      expect(await faultsOf(page)).toEqual([]);
      for (const view of ['Live', 'Runs', 'Inbox', 'Policy']) {
        await page
          .getByRole('navigation')
          .getByRole('link', { name: new RegExp(`^${view}`) })
          .click();
        await says.first().waitFor();
      }
      const top = await says.first().boundingBox();
      const main = await page.getByRole('main').boundingBox();
      expect(top?.y ?? 0).toBeLessThan(main?.y ?? 0);
      await page.reload();
      await says.first().waitFor();
      expect(await page.getByText('record does not fit').count()).toBe(1);
      await opened.expectClean();

      // A person may say that they know; the next look finds it again.
      await page.getByRole('navigation').getByRole('link', { name: 'Health' }).click();
      await page.getByRole('button', { name: 'I know, forget it' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
      await expect.poll(() => says.count()).toBe(0);
      await page.getByRole('button', { name: 'Verify all now' }).click();
      await says.first().waitFor();
      await opened.close();
    });

    it('says of every record that is whole, but for the changed one, that it is checked', async () => {
      const opened = await openPage(browser, at.at.home);
      const { page } = opened;
      await page.getByRole('row').last().waitFor();
      await page.keyboard.press('Home');
      const count = Number(await page.getByRole('grid').getAttribute('aria-rowcount'));
      await page.keyboard.press('Enter');
      const words: string[] = [];
      for (let step = 0; step < Math.min(count, 40); step += 1) {
        const told = page.getByRole('article').getByText(/^(checked|hashed|not checked|✕?does not fit)$/);
        words.push((await told.first().innerText()).replace('✕', '').trim());
        await page.keyboard.press('j');
        await page.waitForTimeout(60);
      }
      expect(words.length).toBeGreaterThan(10);
      const findings = await page.getByRole('alert').allInnerTexts();
      expect(findings.join()).not.toContain('is shown otherwise');
      expect(words).not.toContain('not checked');
      await opened.close();
    });

    it('is checked entry by entry where a record is opened', async () => {
      const opened = await openPage(browser, at.at.home, { at: `record/${CHANGED}` });
      const { page } = opened;
      const says = page.getByRole('alert').filter({ hasText: `Entry ${CHANGED} does not fit` });
      await says.first().waitFor();
      await expect.poll(() => page.getByText('record does not fit').count()).toBe(1);
      await opened.close();
    });
  },
);
