import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toolCall } from '../../gateway/harness.js';
import { askingRun, type AskingRun } from '../../harness/asking.js';
import { createHome, type TestHome } from '../../harness/home.js';
import { POLICY } from '../../day/policies.js';
import { tellInstead } from './kit/every-field.js';
import { hostileStrings } from './kit/hostile.js';
import { MISSING, openPage, startBrowser } from './kit/browser.js';

vi.setConfig({ testTimeout: 360_000 });

const STRINGS = hostileStrings();
/** Characters that nobody sees, or that turn a text; ends of lines, tabs and our own gaps are none. */
const UNSEEN = /(?![\n\t \u00a0])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** More marks above each other than a script has. */
const STACKED = /\p{M}{5}/u;

describe.skipIf(MISSING !== null)(
  `hostile strings on the page${MISSING === null ? '' : ` (${MISSING})`}`,
  () => {
    let at: TestHome;
    let run: AskingRun;
    let browser: Browser;
    beforeAll(async () => {
      at = createHome({ policy: POLICY });
      await at.startWatched();
      run = await askingRun(at.home);
      browser = await startBrowser();
    });
    afterAll(async () => {
      await browser.close();
      await run.end();
      await at.remove();
    });

    it('are 200 different ones, and each stands in the record', async () => {
      expect(new Set(STRINGS).size).toBe(200);
      let taken = 0;
      for (const text of STRINGS) {
        // As a tool where a tool may be called so, and always as what it is called with.
        const named = toolCall({ tool_name: text, server_name: 'evil', args: { command: text, path: text } });
        const plain = toolCall({
          tool_name: 'run',
          server_name: 'evil',
          args: { command: `git push ${text}` },
        });
        if (await isRecorded(run, named)) taken += 1;
        expect(await isRecorded(run, plain), text).toBe(true);
      }
      expect(taken).toBeGreaterThan(100);
    });

    /** Each view, and the sign that it has been read. */
    const views = (seq: number) => [
      ['', '[role=row]'],
      ['runs', '[role=row]'],
      [`runs/${run.id}`, '[role=row]'],
      [`record/${seq}`, 'article.record'],
      ['inbox', 'article.card'],
      ['hints', 'section.hint'],
      ['policy', 'main td'],
      ['health', 'main dl.facts'],
    ];
    const shown = async (page: Shown, sign: string): Promise<void> => {
      await page.locator('main').locator(sign.replace('main ', '')).first().waitFor();
    };
    /** The number of a call that was refused with a hint. */
    const hinted = async (page: Shown): Promise<number> => {
      await page.goto(new URL('/ui/hints', page.url()).href);
      const button = page.getByRole('link', { name: /^Entry \d+$/ }).first();
      return Number((await button.innerText()).split(' ')[1]);
    };

    it('are text and nothing else, whatever view shows them', async () => {
      expect((await run.decided('rm -rf <b>bold</b>')).action).toBe('REJECT_WITH_HINT');
      const opened = await openPage(browser, at.home, { height: 2160 });
      const { page } = opened;
      page.on('dialog', () => {
        throw new Error('a script of a string ran');
      });
      for (const [where = '', sign = ''] of views(await hinted(page))) {
        await page.goto(new URL(`/ui/${where}`, page.url()).href);
        await shown(page, sign);
        if (where === '' || where.startsWith('runs/')) {
          // Every row comes by once, and some of them are opened.
          await page.keyboard.press('Home');
          for (let step = 0; step < 12; step += 1) {
            await page.keyboard.press('PageDown');
            if (step % 3 === 0) {
              await page.keyboard.press('Enter');
              await page.getByRole('article').getByRole('heading').first().waitFor();
              await page.evaluate(() => document.querySelector('details')?.setAttribute('open', ''));
              await expectPlain(page);
              await page.keyboard.press('Escape');
            }
            await expectPlain(page);
          }
        }
        await expectPlain(page);
      }
      expect(await page.evaluate(() => Reflect.get(window, 'pwned') ?? null)).toBeNull();
      await opened.expectClean();
      await opened.close();
    });

    it.each([
      ['every field of every answer', { isRefused: false, isStopped: true }],
      ['every error message', { isRefused: true, isStopped: false }],
    ])('are text and nothing else in %s', async (_, how) => {
      const opened = await openPage(browser, at.home, { height: 2160 });
      const { page } = opened;
      const seq = await hinted(page);
      await tellInstead(page, { strings: STRINGS, ...how });
      const worlds = [
        ['worlds', 'a.layer'],
        ['worlds/0123456789abcdef', 'li.change'],
        ['worlds/0123456789abcdef?f=x', 'li.change'],
      ];
      for (const [where = '', sign = ''] of [...views(seq), ...worlds]) {
        await page.goto(new URL(`/ui/${where}`, page.url()).href);
        // A view may be without a message of its own: a list that is read again says nothing anew.
        await shown(page, how.isRefused ? '[role=alert], h1' : sign);
        if (where === 'policy' && !how.isRefused)
          await page.getByRole('button', { name: 'Show its text' }).click();
        if (where.startsWith('worlds/') && !how.isRefused)
          await page.locator('main button.name').first().click();
        await page.evaluate(() => {
          for (const one of document.querySelectorAll('details')) one.setAttribute('open', '');
        });
        await expectPlain(page, where);
        if (!how.isRefused) {
          const stopped = page.getByText(/Everything is stopped since/);
          await stopped.waitFor();
          await expectPlain(page, where);
        }
        // Nothing of a cell is drawn outside of it, however its signs stand above each other.
        expect(await page.evaluate(spilling), where).toEqual([]);
      }
      expect(await page.evaluate(() => Reflect.get(window, 'pwned') ?? null)).toBeNull();
      await opened.expectClean();
      await opened.close();
    });
  },
);

/** Tells whether a call was judged by the policy, whatever it said, and so stands in the record. */
async function isRecorded({ client }: AskingRun, call: object): Promise<boolean> {
  const { status, error } = await client.request('tool.call.begin', call);
  return status === 'success' || error?.code.startsWith('policy_') === true;
}

type Shown = Awaited<ReturnType<typeof openPage>>['page'];

/** Cells and fields of data that are not clipped, or have the direction of a neighbour. In the page. */
function spilling(): readonly string[] {
  return [...document.querySelectorAll('.data, .said, [role=gridcell]')].flatMap((one) => {
    const { display, overflowX, overflowY, unicodeBidi } = getComputedStyle(one);
    const isBlock = display !== 'inline' && display !== 'none';
    const isOpen = isBlock && (overflowX === 'visible' || overflowY === 'visible');
    const isMixed = unicodeBidi !== 'isolate' && unicodeBidi !== 'plaintext';
    return isOpen || isMixed ? [`${one.tagName} ${one.className} ${overflowY} ${unicodeBidi}`] : [];
  });
}

/** Nothing of a string became an element, a link or a style; nothing unseen is in the text. */
async function expectPlain(page: Shown, where = ''): Promise<void> {
  const found = await page.evaluate(() => {
    const strange = document.querySelectorAll(
      'img, iframe, object, embed, svg, math, form[action], base, meta[http-equiv], style, marquee, video, audio, script:not([src="/ui/app.js"]), link:not([href="/ui/app.css"]):not([rel=icon])',
    );
    const links = [...document.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '');
    const handlers = [...document.querySelectorAll('*')].flatMap((element) =>
      element.getAttributeNames().filter((name) => name.startsWith('on')),
    );
    return {
      strange: [...strange].map(({ outerHTML }) => outerHTML.slice(0, 200)),
      links: links.filter((href) => !href.startsWith('/ui/')),
      handlers,
      text: document.body.innerText,
    };
  });
  expect(found, where).toMatchObject({ strange: [], links: [], handlers: [] });
  const unseen = UNSEEN.exec(found.text);
  expect(
    unseen === null ? '' : found.text.slice(Math.max(0, unseen.index - 40), unseen.index + 5),
    where,
  ).toBe('');
  expect(STACKED.exec(found.text)?.[0], where).toBeUndefined();
}
