import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, type Day } from '../../day/day.js';
import { faultsOf } from './kit/axe.js';
import { MISSING, openPage, startBrowser, type Looks, type Opened } from './kit/browser.js';

const THEMES = ['dark', 'light'] as const;

/** Colours of an element as CSS computed them: its ground and its text. */
const coloursOf = (element: Locator): Promise<readonly [string, string]> =>
  element.evaluate((one) => {
    const { backgroundColor, color } = getComputedStyle(one);
    return [backgroundColor, color] as const;
  });

describe.skipIf(MISSING !== null)(`the looks of the page${MISSING === null ? '' : ` (${MISSING})`}`, () => {
  let at: Day;
  let browser: Browser;
  let opened: Opened;
  let page: Page;
  beforeAll(async () => {
    [at, browser] = await Promise.all([day(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await at.remove();
  });
  const row = (text: string): Locator => page.getByRole('row').filter({ hasText: text }).first();
  const open = async (looks: Looks = {}): Promise<void> => {
    opened = await openPage(browser, at.at.home, looks);
    ({ page } = opened);
    await page.getByRole('row').last().waitFor();
  };
  const done = async (): Promise<void> => {
    await opened.expectClean();
    await opened.close();
  };

  it.each(THEMES)('tell the row under the pointer from the selected one: %s', async (theme) => {
    await open({ theme, at: '?f=server:shell' });
    const [chosen, other] = [row('rm -rf dist'), row('rm -rf coverage')];
    const [still] = await coloursOf(other);
    await chosen.click();
    await page.getByRole('row', { selected: true }).waitFor();
    await other.hover();
    // Both are drawn with the next frame.
    const both = async (): Promise<readonly unknown[]> => [
      (await coloursOf(chosen))[0],
      (await coloursOf(other))[0],
    ];
    await expect.poll(async () => new Set([still, ...(await both())]).size).toBe(3);
    const [selected] = await both();
    expect(await faultsOf(page)).toEqual([]);
    await chosen.hover();
    await expect.poll(async () => (await coloursOf(chosen))[0]).toBe(selected);
    await done();
  });

  it.each(THEMES)('keep the rows of a page itself quiet, and no other row: %s', async (theme) => {
    await open({ theme, at: '?f=kind:action' });
    const [, quiet] = await coloursOf(row('ui.session').locator('.c-time'));
    for (const own of ['ui.session', 'ui.listen'])
      expect((await coloursOf(row(own).locator('.c-tool')))[1], own).toBe(quiet);
    for (const other of ['policy.trust', 'panic.begin'])
      expect((await coloursOf(row(other).locator('.c-tool')))[1], other).not.toBe(quiet);
    expect(await faultsOf(page)).toEqual([]);
    await done();
  });

  it.each([1440, 360])('show the whole word of a refusal with a hint, at %d px', async (width) => {
    await open({ width, at: '?f=decision:hinted' });
    const marks = page.locator('[role=row]:visible .c-mark');
    for (const mark of await marks.all()) {
      await expect.poll(() => mark.innerText()).toMatch(/refused · hint/);
      await expect.poll(() => mark.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true);
    }
    expect(await marks.count()).toBeGreaterThan(1);
    await done();
  });

  it('say what the word `hinted` of the filter is on the page', async () => {
    await open();
    const field = page.getByRole('combobox', { name: 'Filter' });
    await field.fill('deci');
    await page.getByRole('option', { name: /hinted \(refused · hint\)/ }).waitFor();
    await field.fill('decision:hi');
    await page.getByRole('option', { name: 'decision:hinted (refused · hint)' }).click();
    await page.getByRole('button', { name: 'Remove decision:hinted' }).waitFor();
    await row('rm -rf dist').waitFor();
    expect(new URL(page.url()).searchParams.get('f')).toBe('decision:hinted');
    await done();
  });

  it.each([1440, 360])('say in one line what the bar under the pointer counts, at %d px', async (width) => {
    opened = await openPage(browser, at.at.home, { width });
    ({ page } = opened);
    await page.route('**/ui/api/histogram?*', (route) =>
      route.fulfill({
        json: {
          from: Date.UTC(2026, 10, 28, 12, 0),
          to: Date.UTC(2026, 10, 28, 12, 1),
          all: [3, 14],
          refused: [0, 2],
          hinted: [0, 1],
          partial: true,
        },
      }),
    );
    await page.reload();
    const says = page.locator('.histogram-says');
    await says.getByText('Still counting: a bar is 30 s, the highest 14 records').waitFor();
    const heightOf = async (): Promise<number | undefined> => (await says.boundingBox())?.height;
    const high = await heightOf();
    expect(high).toBeLessThan(30);
    const box = await page.locator('.histogram').boundingBox();
    if (box === null) throw new Error('no histogram');
    await page.mouse.move(box.x + box.width - 5, box.y + 10);
    await expect
      .poll(() => says.innerText())
      .toBe('12:00:30 – 12:01:00 · 14 records, 2 refused, 1 with a hint or a question');
    expect(await heightOf()).toBe(high);
    await page.mouse.move(box.x + 5, box.y + 10);
    await expect
      .poll(() => says.innerText())
      .toBe('12:00:00 – 12:00:30 · 3 records, 0 refused, 0 with a hint or a question');
    await page.mouse.move(box.x + 5, box.y + 200);
    await expect.poll(() => says.innerText()).toContain('a bar is 30 s');
    await done();
  });

  it('let go of `Go to` by a button, and the page stays where it was', async () => {
    await open();
    await page.keyboard.press(':');
    const dialog = page.getByRole('dialog', { name: 'Go to' });
    await dialog.getByRole('textbox').fill('inbox');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/ui/');
    await done();
  });

  it('say what the switch of letters is for, in the help and in Health', async () => {
    await open();
    const name = 'Letters alone act as keys (turn off if you dictate)';
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByRole('checkbox', { name, exact: true, checked: true }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('navigation').getByRole('link', { name: 'Health' }).click();
    const inHealth = page.getByRole('main').getByRole('checkbox', { name, exact: true });
    await expect.poll(() => inHealth.isChecked()).toBe(false);
    await done();
  });
});
