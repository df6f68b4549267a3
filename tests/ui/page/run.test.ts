import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, type Day } from '../../day/day.js';
import { toolCall, toolEnd } from '../../gateway/harness.js';
import { faultsOf } from './kit/axe.js';
import { MISSING, openPage, startBrowser, type Opened } from './kit/browser.js';

describe.skipIf(MISSING !== null)(`a run on one axis${MISSING === null ? '' : ` (${MISSING})`}`, () => {
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
  const open = async (where: string): Promise<void> => {
    opened = await openPage(browser, at.at.home, { at: where });
    ({ page } = opened);
    await page.getByRole('row').last().waitFor();
  };
  const done = async (): Promise<void> => {
    await opened.expectClean();
    await opened.close();
  };

  it('is reached from the list of runs by keys, the worst first where that is asked for', async () => {
    await open('runs');
    await page.keyboard.press('!');
    await expect
      .poll(() => page.getByRole('button', { name: 'Refused', exact: true }).getAttribute('aria-pressed'))
      .toBe('true');
    await expect.poll(() => page.getByRole('row').first().innerText()).toContain('fixer');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^fixer/ }).waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/ui/runs/${at.ended}`);
    await page.keyboard.press('Escape');
    await page.getByRole('grid', { name: 'Runs' }).waitFor();
    await done();
  });

  it('is found by words of its agent, folder or state', async () => {
    await open('runs');
    const all = await page.getByRole('row').count();
    expect(all).toBeGreaterThan(1);
    await page.keyboard.press('/');
    await page.keyboard.type('FIXER');
    await expect.poll(() => page.getByRole('row').count()).toBeLessThan(all);
    await expect.poll(() => page.getByRole('row').first().innerText()).toContain('fixer');
    await expect.poll(() => new URL(page.url()).searchParams.get('f')).toBe('FIXER');
    await page.getByText(new RegExp(`^1 of ${all} looked at$`)).waitFor();
    await page.keyboard.type(' no-such-word');
    await page.getByText(`None of the ${all} runs has these words.`).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('c');
    await expect.poll(() => page.getByRole('row').count()).toBe(all);
    await done();
  });

  it('lists what it did in its order, with what each belongs to, and where it went', async () => {
    await open(`runs/${at.ended}`);
    for (const one of ['send_mail', '.ssh/id_ed25519', 'registry.example.com', 'SessionStart', 'by time'])
      await expect.poll(() => page.getByRole('grid').innerText()).toContain(one);
    const said = await page.getByRole('grid').innerText();
    // A hint stands in the row of its call, and in none of its own.
    expect(said).not.toContain('hint issued');
    expect(said.indexOf('send_mail')).toBeLessThan(said.indexOf('registry.example.com'));
    await page.getByText('What its calls wrote is not known').waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await done();
  });

  it('draws lanes: a press picks what is there, keys come closer and go back', async () => {
    await open(`runs/${at.ended}`);
    const canvas = page.locator('.lanes canvas');
    const drawn = async (): Promise<string> =>
      canvas.evaluate((element) => (element instanceof HTMLCanvasElement ? element.toDataURL() : ''));
    // A run that is over is read once: its last row stands when all of its lanes are drawn.
    await page.getByRole('row').filter({ hasText: 'SessionEnd' }).waitFor();
    let whole = await drawn();
    // It is drawn in the frame after; two looks that are alike are of the same drawing.
    await expect
      .poll(async () => {
        const before = whole;
        whole = await drawn();
        return whole === before;
      })
      .toBe(true);
    await page.keyboard.press('w');
    await expect.poll(drawn).not.toBe(whole);
    await page.keyboard.press('0');
    await expect.poll(drawn).toBe(whole);
    // The first lane is the run's: its beginning stands at the left.
    await expect
      .poll(async () => {
        const box = await canvas.boundingBox();
        if (box !== null) await page.mouse.click(box.x + 134, box.y + 28);
        return page.getByRole('row', { selected: true }).count();
      })
      .toBe(1);
    await page.keyboard.press('Home');
    await page.keyboard.press('n');
    await expect
      .poll(() => page.getByRole('row', { selected: true }).getAttribute('aria-rowindex'))
      .not.toBe('1');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: /^Record/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('article').waitFor({ state: 'detached' });
    await done();
  });

  it('begins at its oldest row, and the pane shows the row that is selected, whatever it is', async () => {
    await open(`runs/${at.ended}`);
    await page.getByRole('row').filter({ hasText: 'SessionEnd' }).waitFor();
    expect(await page.getByRole('grid').evaluate(({ scrollTop }) => scrollTop)).toBe(0);
    await page.getByRole('row').filter({ hasText: 'send_mail' }).first().click();
    await page.getByRole('heading', { name: /send_mail/ }).waitFor();
    // An event of a hook is part of no call.
    const hook = page.getByRole('row').filter({ hasText: 'SessionEnd' });
    await hook.click();
    await page.getByRole('heading', { name: 'hook_event' }).waitFor();
    const pane = page.getByRole('article');
    await expect
      .poll(async () => {
        const entry = /entry (\d+)/.exec(await pane.innerText())?.[1];
        return `Record ${entry}` === (await pane.getAttribute('aria-label'));
      })
      .toBe(true);
    await page.getByRole('row').filter({ hasText: 'send_mail' }).first().click();
    await page.getByRole('heading', { name: /send_mail/ }).waitFor();
    await done();
  });

  it('scrolls in lanes that are higher than its room, and ends them with their times', async () => {
    opened = await openPage(browser, at.at.home, { at: `runs/${at.ended}`, height: 500 });
    ({ page } = opened);
    await page.getByRole('row').filter({ hasText: 'SessionStart' }).waitFor();
    const room = page.locator('.lanes');
    const sizes = await room.evaluate(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight]);
    const drawn = await room.locator('canvas').evaluate((one) => one.getBoundingClientRect().height);
    expect(sizes[1]).toBe(Math.round(drawn));
    expect(sizes[0]).toBeLessThanOrEqual(200);
    await done();
  });

  it('leads from its counts to what was counted', async () => {
    await open(`runs/${at.ended}`);
    await page.getByRole('link', { name: /^\d+ refused$/ }).click();
    await expect
      .poll(() => new URL(page.url()).searchParams.get('f'))
      .toBe(`run:${at.ended} kind:call is:refused`);
    await done();
  });

  it('goes on behind a page of entries that are no deeds', async () => {
    opened = await openPage(browser, at.at.home, { at: 'runs' });
    ({ page } = opened);
    let isFirst = true;
    await page.route(/\/ui\/api\/run\//, async (route) => {
      // Chromium knows names below `localhost`; what fetches here asks the system, which may not.
      const asked = new URL(route.request().url());
      const url = `http://127.0.0.1:${asked.port}${asked.pathname}${asked.search}`;
      const response = await route.fetch({
        url,
        headers: { ...route.request().headers(), host: asked.host },
      });
      const answer: object = await response.json();
      const upto = Number(new URL(route.request().url()).searchParams.get('after') ?? 0) + 1;
      const empty = { ...answer, items: [], upto, has_more: true };
      await route.fulfill({ response, json: isFirst ? empty : answer });
      isFirst = false;
    });
    await page.goto(new URL(`/ui/runs/${at.ended}`, page.url()).href);
    await page.getByRole('row').filter({ hasText: 'send_mail' }).first().waitFor();
    expect(isFirst).toBe(false);
    await opened.close();
  });

  it('tells of a call under way, and of its end once that comes', async () => {
    await open(`runs/${at.run.id}`);
    const call = toolCall({ server_name: 'shell', tool_name: 'run', args: { command: 'ls under-way' } });
    await at.run.client.request('tool.call.begin', call);
    const row = page.getByRole('row').filter({ hasText: 'ls under-way' });
    await expect.poll(() => row.innerText()).toContain('goes on');
    await at.run.client.request('tool.call.end', toolEnd(call.call_id));
    await expect.poll(() => row.innerText()).not.toContain('goes on');
    await done();
  });

  it('goes on while it is live', async () => {
    await open(`runs/${at.run.id}`);
    await at.run.decided('rm -rf on-the-axis');
    const row = page.getByRole('row').filter({ hasText: 'rm -rf on-the-axis' });
    await expect.poll(() => row.innerText()).toContain('refused · hint');
    await done();
  });
});
