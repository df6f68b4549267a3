import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bundle, deny } from '../../gateway/policy-bundle.js';
import { askingRun, type AskingRun } from '../../harness/asking.js';
import { createHome, type TestHome } from '../../harness/home.js';
import { faultsOf } from './kit/axe.js';
import { type Looks, MISSING, openPage, startBrowser, unlockCode, type Opened } from './kit/browser.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 120_000 });

const policyOf = (version: string, more: readonly object[] = []): string =>
  bundle([deny('no-rm', { command: { argv: ['rm *'] } }, { hint_text: 'move it instead' }), ...more], {
    mode: 'control',
    version,
  });
const LOOKS: readonly (readonly [string, Looks])[] = [
  ['1440 px, dark', { theme: 'dark' }],
  ['360 px, light', { width: 360, height: 740, theme: 'light' }],
];
const HOSTILE = 'rm <img src=x onerror=window.pwned=1> \u202e"\n- rule_id: evil';

describe.skipIf(MISSING !== null)(`rules of the page${MISSING === null ? '' : ` (${MISSING})`}`, () => {
  let browser: Browser;
  let home: TestHome;
  let file: string;
  let run: AskingRun;
  let opened: Opened;
  let page: Page;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  const begin = async (accept: 'file' | 'operator'): Promise<void> => {
    home = createHome({ policy: policyOf('1'), config: `[policy]\naccept = "${accept}"\n` });
    file = join(home.home, 'policy.yaml');
    await home.startWatched();
    run = await askingRun(home.home);
  };
  beforeEach(() => begin('operator'));
  afterEach(async () => {
    await run.end();
    await home.remove();
  });
  const open = async (looks: Looks): Promise<void> => {
    opened = await openPage(browser, home.home, looks);
    ({ page } = opened);
  };
  const check = async (name: string): Promise<void> => {
    expect(await faultsOf(page), name).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name).toBe(true);
  };
  const done = async (): Promise<void> => {
    expect(await page.evaluate(() => Reflect.get(window, 'pwned'))).toBeUndefined();
    await opened.expectClean();
    await opened.close();
  };
  const code = (): Promise<string> => unlockCode(home.home);
  const said = (text: string): Promise<void> => page.getByText(text).first().waitFor();
  const button = (name: RegExp | string) => page.getByRole('button', { name });

  it.each(LOOKS)(
    'are written from a hint as they were shown, then put in force, by keys alone: %s',
    async (_, looks) => {
      await run.decided(HOSTILE);
      await open({ ...looks, at: 'hints' });
      await button('Let it pass by a rule').focus();
      await page.keyboard.press('Enter');
      const ways = page.getByRole('group', { name: 'Which calls pass from now on, in every run?' });
      await ways.getByRole('radio').first().waitFor();
      expect(await ways.getByRole('radio', { checked: true }).count()).toBe(0);
      expect(await button('Write this rule').isDisabled()).toBe(true);
      await ways.getByRole('radio').first().focus();
      while (!(await ways.getByRole('radio', { name: 'the same arguments' }).isChecked()))
        await page.keyboard.press('ArrowDown');
      const written = page.getByRole('group', { name: 'What is written' });
      await expect.poll(() => written.innerText()).toContain('onerror=window.pwned=1');
      expect(await written.innerText()).not.toContain('\u202e');
      await said('further arguments beside these are not looked at either');
      await check('shown');
      await button('Write this rule').focus();
      await page.keyboard.press('Enter');
      await page.getByRole('textbox', { name: /Code that/ }).waitFor();
      expect(readFileSync(file, 'utf8')).toBe(policyOf('1'));
      await page.keyboard.type(await code());
      await page.keyboard.press('Enter');
      await said('It is not in force yet.');
      expect(readFileSync(file, 'utf8')).toContain('allow-despite-no-rm');
      expect((await run.decided(HOSTILE)).action).toBe('REJECT_WITH_HINT');
      await page.getByRole('link', { name: 'To the policy' }).focus();
      await page.keyboard.press('Enter');
      await said('From the policy in force to the file');
      await said('it allows something that was refused');
      await check('on the disk');
      await button('Put in force').focus();
      await page.keyboard.press('Enter');
      await expect.poll(() => page.locator('.on-disk').count()).toBe(0);
      expect((await run.decided(HOSTILE)).action).toBe('ALLOW');
      await done();
    },
  );

  it('are written from a record by a pointer, and name the entries of the asking and of the loading', async () => {
    await run.end();
    await home.remove();
    await begin('file');
    await run.decided('rm one');
    await open({ at: '?f=is:refused' });
    await page.getByRole('row').filter({ hasText: 'rm one' }).click();
    await button('Let it pass by a rule').click();
    await page.getByRole('radio', { name: 'the same commands, word by word' }).click();
    await button('Write this rule').click();
    await page.getByRole('textbox', { name: /Code that/ }).fill(await code());
    await button('Unlock and go on').click();
    const loaded = page.getByRole('status').filter({ hasText: /^It is in force: entry \d+\.$/ });
    await loaded.waitFor({ timeout: 20_000 });
    expect((await run.decided('rm one')).action).toBe('ALLOW');
    await loaded.getByRole('link').click();
    await said('policy_loaded');
    await page.goBack();
    await done();
  });

  it('are not written to a file that changed meanwhile: the page says so, and shows the rule anew', async () => {
    await run.decided('rm one');
    await open({ at: 'hints' });
    await button('Let it pass by a rule').click();
    await page.getByRole('radio', { name: 'any arguments' }).click();
    await page.getByRole('group', { name: 'What is written' }).waitFor();
    const other = policyOf('7');
    writeFileSync(file, other);
    await button('Write this rule').click();
    await page.getByRole('textbox', { name: /Code that/ }).fill(await code());
    await button('Unlock and go on').click();
    await said('the policy file, or its new rule, is not as it was shown');
    expect(readFileSync(file, 'utf8')).toBe(other);
    await expect.poll(() => button('Write this rule').isEnabled()).toBe(true);
    await button('Write this rule').click();
    await said('It is not in force yet.');
    await done();
  });

  it('that wait on the disk are put in force as shown, and not as they are by then', async () => {
    await open({ at: 'policy' });
    writeFileSync(file, policyOf('2', [deny('no-mv', 'mv')]));
    await said('it refuses something that was allowed');
    writeFileSync(file, policyOf('2'));
    await button('Put in force').click();
    await page.getByRole('textbox', { name: /Code that/ }).fill(await code());
    await button('Unlock and go on').click();
    await said('the policy is not as it was shown');
    await expect.poll(() => page.locator('.on-disk .changes').innerText()).not.toContain('no-mv');
    await button('Put in force').click();
    await page.getByRole('heading', { name: /^In force: .* version 2, everywhere$/ }).waitFor();
    await check('in force');
    await done();
  });

  it('with a mistake are told with their line, and cannot be put in force', async () => {
    await open({ at: 'policy' });
    writeFileSync(file, policyOf('2').replace('"version"', '"<b>verison"'));
    await said('policy.yaml is not in force');
    await button('Look again').waitFor();
    expect(await button('Put in force').count()).toBe(0);
    expect(await page.locator('b', { hasText: 'verison' }).count()).toBe(0);
    await check('a mistake');
    await done();
  });
});
