import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import Database from 'better-sqlite3';
import { day, type Day } from '../../day/day.js';
import { faultsOf } from './kit/axe.js';
import { MISSING, openPage, startBrowser } from './kit/browser.js';

vi.setConfig({ testTimeout: 240_000 });

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

/** The time when the last walk over all entries ended, as Health says it. */
async function lastWalk(page: Page): Promise<string> {
  const said = await page.getByText(/all hashed again and give the root/).innerText();
  return /last (\S+ \S+)/.exec(said)?.[1] ?? '';
}

describe.skipIf(MISSING !== null)(
  `a record under an open page${MISSING === null ? '' : ` (${MISSING})`}`,
  () => {
    let at: Day;
    let browser: Browser;
    beforeAll(async () => {
      [at, browser] = await Promise.all([day(), startBrowser()]);
    });
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
      await expect.poll(() => told.isVisible()).toBe(true);
      await opened.close();
    });

    it('is whole, and then one entry of it is changed: every view names it, and a reload does, too', async () => {
      const opened = await openPage(browser, at.at.home, { at: 'health' });
      const { page } = opened;
      await page.getByText(/all hashed again and give the root/).waitFor();
      // Both at one moment: the record grows.
      const sizes = (): Promise<readonly (string | undefined)[]> =>
        page.evaluate(() => [
          /([\d,]+) entries since .*, all hashed again/.exec(
            document.querySelector('main')?.textContent ?? '',
          )?.[1],
          /record intact to ([\d,]+)/.exec(document.querySelector('header')?.textContent ?? '')?.[1],
        ]);
      await expect.poll(async () => new Set(await sizes()).size).toBe(1);
      expect((await sizes())[0]).toMatch(/^\d/);
      await page.getByText(/lists, filters, counts, and texts that are kept beside an entry/).waitFor();
      // Two walks at once find nothing in a record that is whole.
      for (let press = 0; press < 5; press += 1) {
        await page.getByRole('button', { name: 'Verify all now' }).click();
        await page.keyboard.press('v');
      }
      // Walks are made one after the other: a later one is over.
      const begun = await lastWalk(page);
      await page.getByRole('button', { name: 'Verify all now' }).click();
      await expect.poll(() => lastWalk(page)).not.toBe(begun);
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
      const isAbove = (): Promise<boolean> =>
        says.first().evaluate((alert) => {
          const main = document.querySelector('main')?.getBoundingClientRect();
          return alert.getBoundingClientRect().top < (main?.top ?? Number.NaN);
        });
      await expect.poll(isAbove).toBe(true);
      await page.reload();
      await says.first().waitFor();
      await expect.poll(() => page.getByText('record does not fit').count()).toBe(1);
      await opened.expectClean();

      // A person may say that they know; the next look finds it again.
      await page.getByRole('navigation').getByRole('link', { name: 'Health' }).click();
      await page.getByRole('button', { name: 'I know, forget it' }).click();
      // The next look may come before anybody has seen that there was nothing.
      await page.evaluate((number) => {
        new MutationObserver(() => {
          const told = [...document.querySelectorAll('[role=alert]')].map(({ textContent }) => textContent);
          if (!told.some((text) => text.includes(`Entry ${number} does not fit`)))
            Reflect.set(window, 'wasQuiet', true);
        }).observe(document.body, { subtree: true, childList: true });
      }, CHANGED);
      await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
      await expect.poll(() => page.evaluate((): unknown => Reflect.get(window, 'wasQuiet'))).toBe(true);
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
        const row = page.locator(`[role=row][aria-rowindex="${step + 1}"][aria-selected=true]`);
        await row.waitFor();
        // The record of that very row, once something is said of it.
        const seq = new URL(page.url()).searchParams.get('open') ?? '';
        const record = page.getByRole('article', { name: `Record ${seq}`, exact: true });
        const told = record.getByText(/^(checked|hashed|not checked|✕?does not fit)$/).first();
        words.push((await told.innerText()).replace('✕', '').trim());
        await page.keyboard.press('j');
      }
      expect(words.length).toBeGreaterThan(10);
      const findings = await page.getByRole('alert').allInnerTexts();
      expect(findings.join()).not.toContain('is shown otherwise');
      expect(words).not.toContain('not checked');
      await opened.close();
    });

    it('says of no record that it is checked before it was, though the one before it was', async () => {
      const opened = await openPage(browser, at.at.home);
      const { page } = opened;
      await page.getByRole('row').last().waitFor();
      await page.keyboard.press('Home');
      await page.keyboard.press('Enter');
      await page.getByRole('article').getByText('checked', { exact: true }).waitFor();
      // The entries that the check needs do not come.
      await page.route('**/ui/api/raw**', () => undefined);
      const before = await page.getByRole('article').getAttribute('aria-label');
      await page.keyboard.press('j');
      await page.locator(`article:not([aria-label="${before}"])`).waitFor();
      expect(
        await page
          .getByRole('article')
          .getByText(/^(checking|checked)$/)
          .innerText(),
      ).toBe('checking');
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
