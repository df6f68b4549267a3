import type { Browser, Locator, Page } from 'playwright-core';
import { textAt } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, type Day } from '../../day/day.js';
import { goByKeys, MISSING, openPage, startBrowser, unlockCode, type Opened } from './kit/browser.js';
import { press } from './kit/press.js';

describe.skipIf(MISSING !== null)(
  `answers given on the page${MISSING === null ? '' : ` (${MISSING})`}`,
  () => {
    let at: Day;
    let browser: Browser;
    let opened: Opened;
    let page: Page;
    const card = (text: string): Locator => page.getByRole('article').filter({ hasText: text });
    beforeAll(async () => {
      [at, browser] = await Promise.all([day(), startBrowser()]);
    });
    afterAll(async () => {
      await browser.close();
      await at.remove();
    });
    const open = async (where: string): Promise<void> => {
      opened = await openPage(browser, at.at.home, { at: where });
      ({ page } = opened);
    };
    const done = async (): Promise<void> => {
      await opened.expectClean();
      await opened.close();
    };
    const questionOf = async (words: string): Promise<string> => {
      const all = await at.values('approvals', 'list');
      const one = all.find((question) => JSON.stringify(question).includes(words));
      return textAt(one ?? null, 'number');
    };
    const unlock = async (within: Locator | Page): Promise<void> => {
      const code = await unlockCode(at.at.home);
      await within.getByRole('textbox', { name: /^Code/ }).fill(code);
      await within.getByRole('button', { name: 'Unlock and go on' }).click();
    };

    it('need the code of a terminal before they allow, and a wrong one allows nothing', async () => {
      await at.run.asked('git push origin with-a-code');
      await open('inbox');
      const asked = card('git push origin with-a-code');
      await press(
        asked.getByRole('button', { name: 'Approve once' }),
        asked.getByRole('textbox', { name: /^Code/ }),
      );
      await asked.getByRole('textbox', { name: /^Code/ }).fill('000000');
      await page.keyboard.press('Enter');
      await asked.getByRole('alert').waitFor();
      expect((await at.run.decided('git push origin with-a-code')).action).toBe('REJECT_WITH_HINT');
      await unlock(asked);
      await page
        .getByText(/^shell\.run git push origin with-a-code \(entry \d+\) approved: entry \d+$/)
        .waitFor();
      const held = page.getByRole('listitem').filter({ hasText: 'with-a-code' });
      await expect.poll(() => held.innerText()).toContain('shell.run git push origin with-a-code');
      expect((await at.run.decided('git push origin with-a-code')).action).toBe('ALLOW');
      await page.getByText(/^Unlocked until \d\d:\d\d: buttons here may allow more/).waitFor();
      await done();
    });

    it('of no need none, and bring the agent its sentence', async () => {
      await at.run.asked('git push origin denied');
      await open('inbox');
      const asked = card('git push origin denied');
      await asked
        .getByRole('textbox', { name: 'What the agent reads of a no' })
        .fill('use a branch of your own');
      await press(asked.getByRole('button', { name: 'Deny' }), page.getByText(/denied: entry \d+/));
      const decision = await at.run.decided('git push origin denied');
      expect(decision.action).not.toBe('ALLOW');
      expect(JSON.stringify(decision)).toContain('use a branch of your own');
      await done();
    });

    it('are given by keys on the card in focus, which ask once more', async () => {
      await at.run.asked('git push origin by-key');
      await open('inbox');
      const asked = card('git push origin by-key');
      await asked.waitFor();
      const isInFocus = (): Promise<boolean> => asked.evaluate((one) => one === document.activeElement);
      for (let step = 0; step < 30 && !(await isInFocus()); step += 1) await page.keyboard.press('j');
      expect(await isInFocus()).toBe(true);
      // An answer that leaves the list meanwhile has every card wait anew.
      const sure = page.getByRole('dialog', { name: 'Say no?' });
      await expect
        .poll(
          async () => {
            await page.keyboard.press('D');
            return sure.isVisible();
          },
          { timeout: 60_000, interval: 300 },
        )
        .toBe(true);
      await page.keyboard.press('Enter');
      await page
        .getByText(/denied: entry \d+/)
        .first()
        .waitFor();
      // It is the question of this card that was answered.
      await page
        .locator('article[data-open]')
        .filter({ hasText: 'git push origin by-key' })
        .waitFor({ state: 'detached' });
      expect((await at.run.decided('git push origin by-key')).action).not.toBe('ALLOW');
      await done();
    });

    it('wait half a second where a card before them goes away', async () => {
      await at.run.asked('git push origin goes-first');
      await at.run.asked('git push origin moves-up');
      await open('inbox');
      const below = card('git push origin moves-up').getByRole('button', { name: 'Approve once' });
      await expect.poll(() => below.isEnabled()).toBe(true);
      // The moment when the card above is gone: the buttons of the next one are under the pointer then.
      await page.evaluate(() => {
        const cards = [...document.querySelectorAll('article.card')];
        const button = cards
          .find((one) => (one.textContent ?? '').includes('moves-up'))
          ?.querySelector('button.main');
        const seen: string[] = [];
        Reflect.set(window, 'seen', seen);
        new MutationObserver(() => {
          const shown = [...document.querySelectorAll('article.card')];
          const above = shown.some((one) => (one.textContent ?? '').includes('goes-first'));
          seen.push(`${above ? 'above' : 'gone'} ${button?.hasAttribute('disabled') ? 'inert' : 'ready'}`);
        }).observe(document.body, { subtree: true, childList: true, attributes: true });
      });
      await at.values('approvals', 'deny', await questionOf('goes-first'));
      await card('git push origin goes-first').waitFor({ state: 'detached' });
      const seen: string[] = await page.evaluate(() => Reflect.get(window, 'seen'));
      expect(seen.find((one) => one.startsWith('gone'))).toBe('gone inert');
      await expect.poll(() => below.isEnabled()).toBe(true);
      await done();
    });

    it('say of an approval for the run that it holds until the run ends, and take a sentence of 300', async () => {
      await at.run.asked('git push origin reads-well');
      await open('inbox');
      const asked = card('git push origin reads-well');
      await asked.getByText('Approved for this run, the same call passes until the run ends.').waitFor();
      const field = asked.getByRole('textbox', { name: 'What the agent reads of a no' });
      expect(await field.getAttribute('maxlength')).toBe('300');
      await done();
    });

    it('let a hint pass for its run, after saying what that covers', async () => {
      await open('hints');
      const group = page.getByRole('region', { name: /no-removal-of-folders/ });
      // One hint, however often it was given; each call with what it was about.
      await group.getByText('rm -rf dist', { exact: true }).waitFor();
      await group.getByText('rm -rf coverage', { exact: true }).waitFor();
      await expect
        .poll(() => group.getByText('move it to the trash instead', { exact: true }).count())
        .toBe(1);
      await group
        .getByRole('button', { name: /^Let it pass for run/ })
        .first()
        .click();
      await group.getByText('Other runs and other rules stay as they are').waitFor();
      await expect
        .poll(() => group.locator('pre.said').innerText())
        .toMatch(/"command": "rm -rf (dist|coverage)"/);
      await group.getByText(/^Arguments sha256 [0-9a-f]{16}…$/).waitFor();
      await group.getByRole('button', { name: 'Let it pass', exact: true }).click();
      await unlock(page);
      await page.getByText(/It passes now, until the run ends/).waitFor();
      const [one, other] = [await at.run.decided('rm -rf coverage'), await at.run.decided('rm -rf dist')];
      expect([one.action, other.action].toSorted()).toEqual(['ALLOW', 'REJECT_WITH_HINT']);
      await done();
    });

    it('take a held tool exactly as it is shown, with its difference word by word', async () => {
      await open('inbox');
      const held = card('list_directory_with_sizes');
      await held.locator('ins').first().waitFor();
      await expect.poll(() => held.locator('ins').allInnerTexts()).toContain('lists');
      await held.getByRole('button', { name: 'Take the new definition' }).click();
      await unlock(held);
      await page
        .getByText(/taken: entry \d+/)
        .first()
        .waitFor();
      await expect.poll(() => held.filter({ hasText: 'Take the new' }).count()).toBe(0);
      await done();
    });

    it('stop everything, which every view says, until somebody with a terminal lets it go on', async () => {
      await open('health');
      await page.getByRole('main').getByRole('button', { name: 'Stop everything' }).click();
      const dialog = page.getByRole('dialog', { name: 'Stop everything?' });
      await dialog.getByRole('textbox').fill('a trial');
      await dialog.getByRole('button', { name: 'Stop everything' }).click();
      await page.getByText(/Everything is stopped since .*a trial/).waitFor();
      await goByKeys(page, 'g r', '/ui/runs');
      await page.getByText(/Everything is stopped since/).waitFor();
      await page.getByRole('button', { name: 'Let calls pass again' }).click();
      await unlock(page);
      await expect.poll(() => page.getByText(/Everything is stopped since/).count()).toBe(0);
      await done();
    });
  },
);
