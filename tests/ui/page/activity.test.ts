import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, type Day } from '../../day/day.js';
import { faultsOf } from './kit/axe.js';
import { MISSING, openPage, startBrowser, type Looks } from './kit/browser.js';

const LOOKS: readonly (readonly [string, Looks])[] = [
  ['dark', { theme: 'dark' }],
  ['light', { theme: 'light' }],
  ['360 px', { width: 360, height: 740, theme: 'light' }],
  ['with the colours of the system', { forcedColors: 'active' }],
];

/** The rows of pixels of a line that are painted above its base, and below it. */
const painted = (canvas: Element): readonly [number, number] => {
  if (!(canvas instanceof HTMLCanvasElement)) throw new Error('no canvas');
  const { width, height } = canvas;
  const data = canvas.getContext('2d')?.getImageData(0, 0, width, height).data ?? [];
  const rows = Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (__, x) => data[(y * width + x) * 4 + 3] ?? 0).some((alpha) => alpha > 0),
  );
  return [rows.slice(0, 11).filter(Boolean).length, rows.slice(12).filter(Boolean).length];
};

describe.skipIf(MISSING !== null)(`what runs did${MISSING === null ? '' : ` (${MISSING})`}`, () => {
  let at: Day;
  let browser: Browser;
  beforeAll(async () => {
    [at, browser] = await Promise.all([day(), startBrowser()]);
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    await at.remove();
  });
  const lineOf = (page: Page) => page.getByRole('row').filter({ hasText: 'fixer' }).locator('.r-spark');

  const linesOf = async (page: Page): Promise<string> => {
    const [above, below] = await lineOf(page).locator('canvas').evaluate(painted);
    return above > 0 && below > 0 ? 'above and below' : `${above} above, ${below} below`;
  };

  it.each(LOOKS)(
    'is drawn in its row, what was refused below the line, and hidden from screen readers: %s',
    async (_, looks) => {
      const opened = await openPage(browser, at.at.home, { ...looks, at: 'runs' });
      const { page } = opened;
      await expect.poll(() => linesOf(page)).toBe('above and below');
      expect(await lineOf(page).getAttribute('aria-hidden')).toBe('true');
      expect(await page.getByRole('main').ariaSnapshot()).not.toContain('img');
      expect(await faultsOf(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await opened.expectClean();
      await opened.close();
    },
  );

  it('is drawn in the colours of the theme that somebody chooses', async () => {
    const opened = await openPage(browser, at.at.home, { at: 'runs', theme: 'dark' });
    const { page } = opened;
    const drawn = (): Promise<string> =>
      lineOf(page)
        .locator('canvas')
        .evaluate((canvas) => (canvas instanceof HTMLCanvasElement ? canvas.toDataURL() : ''));
    await expect.poll(() => linesOf(page)).toBe('above and below');
    const dark = await drawn();
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(drawn).not.toBe(dark);
    await opened.close();
  });

  it.each(['keys', 'pointer'] as const)(
    'leads from where it went to those connections: by %s',
    async (by) => {
      const opened = await openPage(browser, at.at.home, {
        at: `runs/${at.ended}`,
        width: by === 'keys' ? 1440 : 360,
      });
      const { page } = opened;
      const summary = page.getByText(/^Where it went: 4 places, 3 refused$/);
      await summary.waitFor();
      const press = async (what: typeof summary): Promise<void> => {
        if (by === 'pointer') return what.click();
        await what.focus();
        return page.keyboard.press('Enter');
      };
      await press(summary);
      const places = page.getByRole('listitem').filter({ hasText: 'registry.example.com:80' });
      await expect.poll(() => places.innerText()).toMatch(/✕\s*1 refused/);
      const passed = page.getByRole('listitem').filter({ hasText: '127.0.0.1:' });
      await expect.poll(() => passed.innerText()).toMatch(/1 allowed\s+\d+ B up, \d+ B down/);
      expect(await faultsOf(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await press(page.getByRole('link', { name: 'registry.example.com:80' }));
      await expect
        .poll(() => new URL(page.url()).searchParams.get('f'))
        .toBe(`run:${at.ended} kind:net host:registry.example.com`);
      await page.getByRole('row').filter({ hasText: 'registry.example.com' }).first().waitFor();
      await expect.poll(() => page.getByRole('row').count()).toBe(1);
      await opened.expectClean();
      await opened.close();
    },
  );

  it('is told in Health by the ways that saw it, with the command that knows more', async () => {
    const opened = await openPage(browser, at.at.home, { at: 'health' });
    const { page } = opened;
    const row = page.getByRole('row', { name: /^claude/ });
    await row.waitFor();
    expect((await row.innerText()).split(/\s+/)).toEqual(['claude', '1', '1', '1', '0', '1']);
    const said = await page.getByRole('main').innerText();
    expect(said).toContain('the record cannot tell which');
    expect(said).toContain('Egress is in the mode enforce: programs outside of worlds');
    expect(said).toContain('sub doctor');
    await opened.expectClean();
    await opened.close();
  });
});
