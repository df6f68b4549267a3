import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bundle, deny } from '../../gateway/policy-bundle.js';
import { askingRun, type AskingRun } from '../../harness/asking.js';
import { createHome, type TestHome } from '../../harness/home.js';
import { faultsOf } from './kit/axe.js';
import { type Looks, MISSING, openPage, startBrowser, type Opened } from './kit/browser.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 120_000 });

const LOOKS: readonly (readonly [string, Looks])[] = [
  ['1440 px, dark', { theme: 'dark' }],
  ['360 px, light', { width: 360, height: 740, theme: 'light' }],
];
const HOSTILE = 'rm <img src=x onerror=window.pwned=1> \u202e';

describe.skipIf(MISSING !== null)(`two calls compared${MISSING === null ? '' : ` (${MISSING})`}`, () => {
  let browser: Browser;
  let home: TestHome;
  let run: AskingRun;
  let opened: Opened;
  let page: Page;
  beforeAll(async () => {
    browser = await startBrowser();
    const no = deny('no-rm', { command: { argv: ['rm *'] } }, { hint_text: 'move <b>it</b> instead' });
    const all = {
      rule_id: 'all',
      kind: 'allow',
      enabled: true,
      severity: 'info',
      match: { tool_name: { glob: ['*'] } },
      effect: { action: 'ALLOW', reason_code: 'ALL', message: 'all else' },
    };
    home = createHome({ policy: bundle([no, all], { mode: 'control' }) });
    await home.startWatched();
    run = await askingRun(home.home);
    for (const command of ['ls one', HOSTILE, 'ls two']) await run.decided(command);
  });
  afterAll(async () => {
    await browser.close();
    await run.end();
    await home.remove();
  });
  const open = async (looks: Looks): Promise<void> => {
    opened = await openPage(browser, home.home, looks);
    ({ page } = opened);
  };
  const row = (text: string) => page.getByRole('row').filter({ hasText: text });
  const done = async (): Promise<void> => {
    expect(await page.evaluate(() => Reflect.get(window, 'pwned'))).toBeUndefined();
    await opened.expectClean();
    await opened.close();
  };
  const versus = () => page.getByRole('article', { name: /^Entries \d+ and \d+ compared$/ });
  const lineOf = async (name: string): Promise<readonly string[]> =>
    versus()
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name }) })
      .getByRole('cell')
      .allInnerTexts();

  it.each(LOOKS)(
    'by keys: one is marked, another chosen, and the address says which: %s',
    async (_, looks) => {
      await open({ ...looks, at: '?f=kind:call' });
      await row('ls two').waitFor();
      await page.keyboard.press('End');
      await page.keyboard.press('k');
      await page.keyboard.press('=');
      await page.getByText('no call is marked').first().waitFor({ state: 'attached' });
      await page.keyboard.press('m');
      await expect.poll(() => page.locator('[data-marked]').count()).toBe(1);
      await page.keyboard.press('=');
      expect(await versus().count()).toBe(0);
      await page.keyboard.press('k');
      await page.keyboard.press('=');
      await versus().waitFor();
      const address = new URL(page.url());
      expect(Number(address.searchParams.get('with'))).toBeGreaterThan(
        Number(address.searchParams.get('open')),
      );
      // The earlier one stands first.
      await versus().getByRole('rowheader', { name: 'Rule' }).waitFor();
      expect((await lineOf('Decision')).map((text) => text.replaceAll(/\s/g, ''))).toEqual([
        '↩refused·hint',
        '·allowed',
      ]);
      expect(await lineOf('Hint')).toEqual(['move <b>it</b> instead', '']);
      expect(await lineOf('Rule')).toEqual(['no-rm', 'all']);
      const diff = versus().getByRole('group', { name: 'Difference' }).first();
      await expect.poll(() => diff.innerText()).toContain('+   "command": "ls two"');
      await expect.poll(() => diff.innerText()).toContain('onerror=window.pwned=1');
      expect(await diff.innerText()).not.toContain('\u202e');
      expect(await faultsOf(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await page.reload();
      await versus().waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('article', { name: /^Record \d+$/ }).waitFor();
      expect(new URL(page.url()).searchParams.get('with')).toBeNull();
      await done();
    },
  );

  it('by a pointer: with the one before of the same tool, or the marked one; both have their command', async () => {
    await open({ at: '?f=kind:call' });
    await row('ls two').click();
    await page.getByRole('button', { name: 'Compare with the one before' }).click();
    await versus().waitFor();
    const [, first, second] =
      /^Entries (\d+) and (\d+) compared$/.exec((await versus().getAttribute('aria-label')) ?? '') ?? [];
    for (const seq of [first, second])
      await versus()
        .getByRole('button', { name: `Copy \`sub show ${seq}\`` })
        .waitFor();
    await versus()
      .getByRole('button', { name: `Back to entry ${second}` })
      .click();
    await page.getByRole('button', { name: 'Mark', exact: true }).click();
    await row('ls one').click();
    await page.getByRole('button', { name: `Compare with entry ${second}` }).click();
    await versus().waitFor();
    await expect.poll(() => lineOf('Decision')).toHaveLength(2);
    // Another row is a record, and no comparison.
    await row('rm').click();
    await page.getByRole('article', { name: /^Record \d+$/ }).waitFor();
    await row('ls one').click();
    // The record before it has the same button.
    await page
      .getByRole('article', { name: /^Record \d+$/ })
      .getByText('ls one', { exact: true })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Compare with the one before' }).click();
    await page.getByRole('button', { name: 'None found before it' }).waitFor();
    await done();
  });

  it('by an address alone, and one that is not there is told', async () => {
    await open({ at: '?f=kind:call' });
    await row('ls two').click();
    const seq = new URL(page.url()).searchParams.get('open');
    await opened.close();
    await open({ at: `record/${seq}?with=999999` });
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: `Back to entry ${seq}` }).click();
    await page.getByRole('article', { name: `Record ${seq}` }).waitFor();
    expect(new URL(page.url()).searchParams.get('with')).toBeNull();
    await done();
  });

  it('its keys stand in the help', async () => {
    await open({});
    await row('ls two').waitFor();
    await page.keyboard.press('?');
    const told = await page.getByRole('dialog').innerText();
    expect(told).toMatch(/mark a call/);
    expect(told).toMatch(/compare with the marked one/);
    await done();
  });
});
