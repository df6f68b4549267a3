import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toolCall } from '../../gateway/harness.js';
import { askingRun, type AskingRun } from '../../harness/asking.js';
import { createHome, type TestHome } from '../../harness/home.js';
import { POLICY } from '../../day/policies.js';
import { hostileStrings } from './kit/hostile.js';
import { MISSING, openPage, startBrowser } from './kit/browser.js';

const STRINGS = hostileStrings();
/** Characters that nobody sees, or that turn a text; ends of lines, tabs and our own gaps are none. */
const UNSEEN = /(?![\n\t \u00a0])[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u;

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
    }, 120_000);

    it.each(['', 'runs', `runs/RUN`, 'inbox', 'hints', 'policy', 'health'])(
      'are text and nothing else at /ui/%s',
      async (where) => {
        const opened = await openPage(browser, at.home, { at: where.replace('RUN', run.id), height: 2160 });
        const { page } = opened;
        page.on('dialog', () => {
          throw new Error('a script of a string ran');
        });
        await page.waitForTimeout(800);
        if (where === '' || where.startsWith('runs/')) {
          // Every row comes by once, and some of them are opened.
          await page.getByRole('row').last().waitFor();
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
        expect(await page.evaluate(() => Reflect.get(window, 'pwned') ?? null)).toBeNull();
        await opened.expectClean();
        await opened.close();
      },
      120_000,
    );
  },
);

/** Tells whether a call was judged by the policy, whatever it said, and so stands in the record. */
async function isRecorded({ client }: AskingRun, call: object): Promise<boolean> {
  const { status, error } = await client.request('tool.call.begin', call);
  return status === 'success' || error?.code.startsWith('policy_') === true;
}

type Shown = Awaited<ReturnType<typeof openPage>>['page'];

/** Nothing of a string became an element, a link or a style; nothing unseen is in the text. */
async function expectPlain(page: Shown): Promise<void> {
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
  expect(found).toMatchObject({ strange: [], links: [], handlers: [] });
  expect(UNSEEN.exec(found.text)?.[0].codePointAt(0)).toBeUndefined();
}
