import type { Browser } from 'playwright-core';
import { textAt } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, type Day } from '../../day/day.js';
import { faultsOf } from './kit/axe.js';
import { address, goByKeys, MISSING, openPage, startBrowser, type Looks } from './kit/browser.js';

/** Each view: its address, the key that leads there, what is waited for, and what a screen reader gets. */
const VIEWS: readonly (readonly [string, string, string, RegExp, readonly (RegExp | string)[]])[] = [
  [
    'live',
    '',
    'g l',
    /refused notes\.read_file/,
    [
      '- navigation "Views"',
      '- combobox "Filter"',
      '- grid "Records, newest last"',
      'gridcell "refused · hint"',
    ],
  ],
  ['runs', 'runs', 'g r', /fixer/, ['- grid "Runs"', '- group "Sort by"', '- button "Refused"']],
  [
    'worlds',
    'worlds',
    'g w',
    /No world has changed anything/,
    ['- heading "No world has changed anything"', '- button "Look again"', 'sub world exec'],
  ],
  [
    'inbox',
    'inbox',
    'g i',
    /3 wait for you/,
    ['- article "shell.run"', '- button "Deny"', '- button "Approve once"'],
  ],
  [
    'hints',
    'hints',
    'g h',
    /Refused with a way on/,
    ['no-removal-of-folders on shell.run', '- button "Let it pass for run'],
  ],
  [
    'policy',
    'policy',
    'g p',
    /no-reading-of-credentials/,
    [
      'heading "In force: limits version 1, everywhere"',
      /Also in force for runs in \S+shop: shop version 3/,
      'asked 4: 2 lapsed, 2 open',
      '- columnheader "Rule"',
    ],
  ],
  [
    'health',
    'health',
    'g v',
    /hashed again and give the root/,
    ['- heading "Health"', '- button "Verify all now"'],
  ],
];

const LOOKS: readonly (readonly [string, Looks])[] = [
  ['1440 px, dark', { theme: 'dark' }],
  ['1440 px, light', { theme: 'light' }],
  ['360 px, light', { width: 360, height: 740, theme: 'light' }],
  ['at 200 %', { zoom: 2 }],
];

const literal = (text: string): RegExp => new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));

/** Whether nothing of an element has to be scrolled to. */
const isWhole = (element: Element): boolean => element.scrollWidth <= element.clientWidth;

describe.skipIf(MISSING !== null)(`the views of the page${MISSING === null ? '' : ` (${MISSING})`}`, () => {
  let at: Day;
  let browser: Browser;
  beforeAll(async () => {
    [at, browser] = await Promise.all([day(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await at.remove();
  });

  it.each(LOOKS)(
    'are reached by key, say what they show and have no fault of accessibility: %s',
    async (_, looks) => {
      const opened = await openPage(browser, at.at.home, looks);
      const { page } = opened;
      for (const [name, path, keys, there, said] of VIEWS) {
        await goByKeys(page, keys, `/ui/${path}`);
        if (name === 'live') await page.getByRole('row').last().waitFor();
        else await page.getByRole('main').getByText(there).first().waitFor();
        const told = (): Promise<string> => page.locator('body').ariaSnapshot();
        for (const one of said)
          await expect
            .poll(told, { message: `${name} says` })
            .toMatch(typeof one === 'string' ? literal(one) : one);
        expect(await faultsOf(page), name).toEqual([]);
        const wide = await page.evaluate(() =>
          [...document.querySelectorAll('main :is(select, td, code)')]
            .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
            .map((one) => (one.textContent ?? '').slice(0, 80)),
        );
        expect(wide, name).toEqual([]);
        // Nothing is wider than its window (WCAG 1.4.10).
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name).toBe(
          true,
        );
        if (looks.zoom === undefined) expect(await page.locator('.tabs').evaluate(isWhole), name).toBe(true);
      }
      await opened.expectClean();
      await opened.close();
    },
  );

  it('have their tabs in place before there is a session', async () => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    let ask: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      ask = resolve;
    });
    await page.route('**/ui/api/session', async (route) => {
      await asked;
      await route.continue();
    });
    const tabs = (): Promise<readonly (readonly [string, string | null, number])[]> =>
      page
        .locator('.tabs a')
        .evaluateAll((all) =>
          all.map((one) => [
            one.firstChild?.textContent ?? '',
            one.getAttribute('href'),
            Math.round(one.getBoundingClientRect().left),
          ]),
        );
    await page.goto(await address(at.at.home));
    await page.locator('.tabs a').last().waitFor();
    const early = await tabs();
    ask();
    await page.getByRole('list', { name: 'State' }).waitFor();
    const [first] = await tabs();
    expect(first).toEqual(early[0]);
    expect((await tabs()).map(([word, href]) => [word, href])).toEqual(
      early.map(([word, href]) => [word, href]),
    );
    await context.close();
  });

  it('open by their addresses, and by their tabs', async () => {
    const opened = await openPage(browser, at.at.home, { at: 'policy' });
    const { page } = opened;
    await page.getByText('no-reading-of-credentials').first().waitFor();
    for (const [name, path] of VIEWS) {
      await page
        .getByRole('navigation')
        .getByRole('link', { name: new RegExp(`^${name}`, 'i') })
        .click();
      await expect.poll(() => new URL(page.url()).pathname).toBe(`/ui/${path}`);
      await expect.poll(() => page.title()).toMatch(new RegExp(name, 'i'));
    }
    await page.goBack();
    await expect.poll(() => new URL(page.url()).pathname).toBe('/ui/policy');
    await opened.expectClean();
    await opened.close();
  });

  it('keep no code and no token in the address, nor in what outlives the tab', async () => {
    const opened = await openPage(browser, at.at.home);
    const { page } = opened;
    await page.getByRole('row').last().waitFor();
    expect(page.url()).not.toContain('#');
    const token = await page.evaluate(() => sessionStorage.getItem('subl.token') ?? '');
    expect(token.length).toBeGreaterThan(30);
    const kept = await page.evaluate(() => JSON.stringify(Object.entries(localStorage)) + document.cookie);
    expect(kept).not.toContain(token);
    await opened.expectClean();
    await opened.close();
  });

  it('say what to type where the session is over, and take the next code', async () => {
    const opened = await openPage(browser, at.at.home);
    const { page } = opened;
    await page.evaluate(() => sessionStorage.setItem('subl.token', 'x'.repeat(43)));
    await page.reload();
    await page.getByRole('heading', { name: 'This page has no session' }).waitFor();
    expect(await page.getByRole('main').ariaSnapshot()).toContain('sub ui');
    expect(await faultsOf(page)).toEqual([]);
    await page.getByRole('textbox').fill(await address(at.at.home));
    await page.getByRole('button', { name: 'Enter' }).click();
    await page.getByRole('row').last().waitFor();
    await opened.close();
  });

  it('end their session by a button, and the token opens nothing any more', async () => {
    const opened = await openPage(browser, at.at.home, { at: 'health' });
    const { page } = opened;
    const token = await page.evaluate(() => sessionStorage.getItem('subl.token') ?? '');
    await page.getByRole('button', { name: 'End this session' }).click();
    await page.getByRole('heading', { name: 'This page has no session' }).waitFor();
    await page.evaluate((dead) => sessionStorage.setItem('subl.token', dead), token);
    await page.reload();
    await page.getByRole('heading', { name: 'This page has no session' }).waitFor();
    await expect.poll(() => page.evaluate(() => sessionStorage.getItem('subl.token'))).toBeNull();
    await opened.expectClean();
    await opened.close();
  });

  it('say in the title of the tab how many wait', async () => {
    const opened = await openPage(browser, at.at.home);
    const { page } = opened;
    await expect.poll(() => page.title()).toMatch(/^\(\d+\) Live · Subluminal$/);
    await opened.expectClean();
    await opened.close();
  });

  it('keep their glyphs and words where the system chooses the colours', async () => {
    const opened = await openPage(browser, at.at.home, { forcedColors: 'active', at: '?f=is%3Arefused' });
    const { page } = opened;
    await page.getByRole('row').filter({ hasText: 'refused' }).first().waitFor();
    const row = page.getByRole('row').filter({ hasText: 'notes.read_file' }).first();
    await expect.poll(() => row.innerText()).toMatch(/✕\s*refused/);
    await opened.expectClean();
    await opened.close();
  });

  it('compare a policy with another one that is in force: what the difference means, and the texts', async () => {
    const opened = await openPage(browser, at.at.home, { at: 'policy' });
    const { page } = opened;
    const home = page.locator('section', { hasText: 'In force: limits' });
    const other = home.getByRole('combobox', { name: 'with' });
    expect(await other.inputValue()).toBe('');
    const shop = other.locator('optgroup option').filter({ hasText: 'shop version 3' });
    await other.selectOption((await shop.getAttribute('value')) ?? '');
    await home.getByText(/^As if the second stood in the place of the first\./).waitFor();
    const changes = home.locator('.changes');
    await changes.getByText(/no-mails-from-here/).waitFor();
    await changes.getByText(/no-removal-of-folders/).waitFor();
    const texts = home.getByRole('group', { name: 'Difference' });
    await texts.getByText(/^\+ .*"no-mails-from-here"/).waitFor();
    await texts.getByText(/^- .*"no-removal-of-folders"/).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await opened.expectClean();
    await opened.close();
  });

  it('lead from a decision to the rule in the policy that has it', async () => {
    const [mail] = await at.values('query', '--tool', 'send_mail', '--limit', '1');
    const opened = await openPage(browser, at.at.home, { at: `record/${textAt(mail ?? null, 'seq')}` });
    const { page } = opened;
    await page.getByRole('link', { name: 'Rule', exact: true }).click();
    const shop = page.locator('section', { hasText: 'Also in force' });
    await expect.poll(() => shop.locator('tr[data-marked]').innerText()).toContain('no-mails-from-here');
    await expect.poll(() => page.locator('tr[data-marked]').count()).toBe(1);
    await page.goto(page.url().replace(/(?:%40|@)[0-9a-f]{8}$/, '@00000000'));
    await page.getByText('is of a policy that is not in force now').waitFor();
    await opened.expectClean();
    await opened.close();
  });
});
