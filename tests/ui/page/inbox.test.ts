import { type Decision, isJsonObject, objectAt, textAt } from '@subluminal/core-types';
import type { Browser, Locator, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { POLICY } from '../../day/policies.js';
import { toolCall } from '../../gateway/harness.js';
import { askingRun, type AskingRun } from '../../harness/asking.js';
import { createHome, type TestHome } from '../../harness/home.js';
import { Lister, tool } from '../../tools/lister.js';
import { MISSING, openPage, startBrowser, unlockCode, type Opened } from './kit/browser.js';
import { press } from './kit/press.js';

const HELD = 'read_file';
/** Held tools that are too much for one answer, before and after: two fit beside the small one. */
const LARGE = ['large-1', 'large-2', 'large-3'];
const LARGE_TEXT = `${'keeps it here. '.repeat(8)}\n`.repeat(2000);

describe.skipIf(MISSING !== null)(`the inbox${MISSING === null ? '' : ` (${MISSING})`}`, () => {
  let at: TestHome;
  let run: AskingRun;
  let browser: Browser;
  let opened: Opened;
  let page: Page;
  const card = (text: string): Locator => page.getByRole('article').filter({ hasText: text });
  const open = async (): Promise<void> => {
    opened = await openPage(browser, at.home, { at: 'inbox' });
    ({ page } = opened);
  };
  const done = async (): Promise<void> => {
    await opened.expectClean();
    await opened.close();
  };
  const byKey = (button: Locator, sign: Locator): Promise<void> => press(button, sign, 'keys');
  const calledHeld = async (): Promise<Decision['action'] | ''> => {
    const call = toolCall({ server_name: 'fs', tool_name: HELD, args: { path: 'a' } });
    const { data } = await run.client.request('tool.call.begin', call);
    if (data === undefined || !isJsonObject(data)) throw new Error('no answer');
    return textAt(objectAt(data, 'decision'), 'action') as Decision['action'] | '';
  };
  beforeAll(async () => {
    at = createHome({ policy: POLICY });
    [browser] = await Promise.all([startBrowser(), at.startWatched()]);
    run = await askingRun(at.home, '/srv/<b>shop');
    const lister = new Lister(run.client, 'fs');
    const listed = (more: string) => [
      tool(HELD, { description: `reads a file${more}` }),
      ...LARGE.map((name) => tool(name, { description: `${LARGE_TEXT}${more}` })),
    ];
    await lister.seen(listed(''));
    await lister.seen(listed(', and sends it away'));
  });
  afterAll(async () => {
    await browser.close();
    await run.end();
    await at.remove();
  });

  it('keeps a tool held where a person says so, and its calls are refused; it asks again by a key', async () => {
    await open();
    const held = card(`fs/${HELD} has another definition`);
    const stays = held.getByRole('status').getByText('It stays held: its calls are refused.');
    await press(held.getByRole('button', { name: 'Keep it held' }), stays);
    await expect.poll(() => held.getByRole('button', { name: 'Take the new definition' }).count()).toBe(0);
    expect(await calledHeld()).toBe('BLOCK');
    await byKey(
      held.getByRole('button', { name: 'Decide after all' }),
      held.getByRole('button', { name: 'Take the new definition' }),
    );
    await byKey(held.getByRole('button', { name: 'Keep it held' }), stays);
    await done();
  });

  it('says how many held tools do not fit, and which command shows them', async () => {
    await open();
    await page.getByRole('heading', { name: '4 wait for you' }).waitFor();
    await expect.poll(() => page.getByRole('article').count()).toBe(3);
    await page.getByText('No room here for 1 more held tool. A terminal lists all of them:').waitFor();
    await page.getByText(`sub tools list --home ${at.home}`, { exact: true }).waitFor();
    await done();
  });

  it('allows no more after `Lock now`, neither by the page nor by its session', async () => {
    for (const branch of ['one', 'two', 'three']) await run.asked(`git push origin ${branch}`);
    await open();
    const acts: Response[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/ui/api/act') acts.push(response);
    });
    const yes = (branch: string): Locator =>
      card(`git push origin ${branch}`).getByRole('button', { name: 'Approve once' });
    const code = (branch: string): Locator =>
      card(`git push origin ${branch}`).getByRole('textbox', { name: /^Code/ });
    const approved = (branch: string): Locator =>
      card(`git push origin ${branch}`).filter({ hasText: /approved: entry \d+/ });
    await byKey(yes('one'), code('one'));
    await code('one').fill(await unlockCode(at.home));
    await page.keyboard.press('Enter');
    await page.getByText(/^Unlocked until \d\d:\d\d: buttons here may allow more\.$/).waitFor();
    await approved('one').waitFor();
    // As long as it is unlocked, one press is enough.
    await byKey(yes('two'), approved('two'));
    expect((await run.decided('git push origin two')).action).toBe('ALLOW');
    await page.getByRole('button', { name: 'Lock now' }).click();
    await expect.poll(() => page.getByText(/^Unlocked until/).count()).toBe(0);
    await byKey(yes('three'), code('three'));
    const last = acts.at(-1);
    expect([last?.status(), textAt((await last?.json()) ?? null, 'error', 'code')]).toEqual([403, 'locked']);
    expect((await run.decided('git push origin three')).action).toBe('REJECT_WITH_HINT');
    await done();
  });

  it('can be unlocked and locked by keys alone', async () => {
    await run.asked('git push origin by-keys');
    await open();
    const asked = card('git push origin by-keys');
    await asked.getByText('/srv/<b>shop', { exact: true }).waitFor();
    const code = asked.getByRole('textbox', { name: /^Code/ });
    await byKey(asked.getByRole('button', { name: 'Approve once' }), code);
    await code.fill(await unlockCode(at.home));
    await page.keyboard.press('Enter');
    // The line tells one thing at a time: a yes that is told later would take the place of the lock.
    await asked.filter({ hasText: /approved: entry \d+/ }).waitFor();
    const locked = page.locator('.keyline').getByText('locked', { exact: true });
    await byKey(page.getByRole('button', { name: 'Lock now' }), locked);
    await expect.poll(() => page.getByText(/^Unlocked until/).count()).toBe(0);
    await done();
  });

  it('says which yes a terminal has to agree to, and lets go of it by a button and by Escape', async () => {
    await run.asked('git push origin let-go');
    await open();
    const asked = card('git push origin let-go');
    const field = asked.getByRole('textbox', { name: /^Code/ });
    const goOn = asked.getByRole('button', { name: 'Unlock and go on' });
    for (const [yes, letGo] of [
      ['Approve for this run', () => asked.getByRole('button', { name: 'Cancel' }).click()],
      ['Approve once', () => field.press('Escape')],
    ] as const) {
      const agree = asked.getByText(`${yes} allows more, so a terminal has to agree. Run there`);
      await press(asked.getByRole('button', { name: yes }), agree);
      await field.fill('12345');
      expect(await goOn.isDisabled()).toBe(true);
      await field.fill('123 456');
      expect(await goOn.isDisabled()).toBe(false);
      await letGo();
      await asked.getByRole('button', { name: 'Deny' }).waitFor();
    }
    expect(new URL(page.url()).pathname).toBe('/ui/inbox');
    expect((await run.decided('git push origin let-go')).action).toBe('REJECT_WITH_HINT');
    await done();
  });

  it('says yes to nothing where it was let go of while the digits were under way', async () => {
    await run.asked('git push origin too-late');
    await open();
    const asked = card('git push origin too-late');
    let pass: () => void = () => undefined;
    const passed = new Promise<void>((resolve) => {
      pass = resolve;
    });
    await page.route('**/ui/api/unlock', async (route) => {
      await passed;
      await route.continue();
    });
    let acts = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/ui/api/act') acts += 1;
    });
    const code = asked.getByRole('textbox', { name: /^Code/ });
    await press(asked.getByRole('button', { name: 'Approve once' }), code);
    await code.fill(await unlockCode(at.home));
    expect(acts).toBe(1);
    await asked.getByRole('button', { name: 'Unlock and go on' }).click();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    pass();
    await page.getByText(/^Unlocked until/).waitFor();
    await page.waitForTimeout(500);
    expect(acts).toBe(1);
    expect((await run.decided('git push origin too-late')).action).toBe('REJECT_WITH_HINT');
    await page.getByRole('button', { name: 'Lock now' }).click();
    await expect.poll(() => page.getByText(/^Unlocked until/).count()).toBe(0);
    await done();
  });

  it('asks once where a button is pressed twice', async () => {
    await run.asked('git push origin twice');
    await open();
    let acts = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/ui/api/act') acts += 1;
    });
    const deny = card('git push origin twice').getByRole('button', { name: 'Deny' });
    await expect
      .poll(async () => {
        if (acts === 0) await deny.dblclick({ timeout: 1000 }).catch(() => undefined);
        return acts;
      })
      .toBeGreaterThan(0);
    await card('git push origin twice')
      .filter({ hasText: /denied: entry \d+/ })
      .waitFor();
    expect(acts).toBe(1);
    await done();
  });

  it('that cannot be read says so, and reads again by its button', async () => {
    await open();
    let isDown = true;
    await page.route('**/ui/api/inbox', (route) => (isDown ? route.abort() : route.continue()));
    await page.reload();
    await page.getByRole('alert').filter({ hasText: 'the gateway does not answer' }).waitFor();
    isDown = false;
    await byKey(
      page.getByRole('button', { name: 'Retry' }),
      page.getByRole('heading', { name: /wait for you$/ }),
    );
    await expect.poll(() => page.getByRole('alert').count()).toBe(0);
    await done();
  });
});
