import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { day, type Day } from '../../day/day.js';
import { MISSING, openPage, startBrowser, type Opened } from './kit/browser.js';

describe.skipIf(MISSING !== null)(`the live view${MISSING === null ? '' : ` (${MISSING})`}`, () => {
  let at: Day;
  let browser: Browser;
  let opened: Opened;
  let page: Page;
  const rows = (text: string | RegExp): Locator => page.getByRole('row').filter({ hasText: text });
  beforeAll(async () => {
    [at, browser] = await Promise.all([day(), startBrowser()]);
  });
  afterAll(async () => {
    await browser.close();
    await at.remove();
  });
  const open = async (where = ''): Promise<void> => {
    opened = await openPage(browser, at.at.home, { at: where });
    ({ page } = opened);
    await page.getByRole('row').last().waitFor();
  };
  const done = async (): Promise<void> => {
    await opened.expectClean();
    await opened.close();
  };
  const count = async (): Promise<number> =>
    Number(await page.getByRole('grid').getAttribute('aria-rowcount'));
  /** The place of the histogram once its counts are drawn: a bar of any colour stands at its base. */
  const histogram = async (): Promise<{ readonly x: number; readonly y: number }> => {
    const isDrawn = (): Promise<boolean> =>
      page.locator('.histogram canvas').evaluate((canvas) => {
        if (!(canvas instanceof HTMLCanvasElement)) return false;
        const { data } = canvas.getContext('2d')?.getImageData(0, canvas.height - 1, canvas.width, 1) ?? {
          data: [],
        };
        return data.some((part) => part !== 0);
      });
    await expect.poll(isDrawn).toBe(true);
    const box = await page.locator('.histogram').boundingBox();
    if (box === null) throw new Error('no histogram');
    return box;
  };

  it('shows a call as it is made, and its refusal with the reason', async () => {
    await open();
    await at.run.decided('rm -rf seen-at-once');
    // A call may be there before its decision is.
    await expect
      .poll(() => rows('rm -rf seen-at-once').innerText())
      .toMatch(/refused · hint[\s\S]*shell\.run[\s\S]*no-removal-of-folders/);
    await done();
  });

  it('leads by two keys from its beginning to the newest refusal and its remedy', async () => {
    await open();
    await at.run.decided('rm -rf the-newest');
    await rows('rm -rf the-newest').filter({ hasText: 'refused · hint' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('row', { selected: true }).filter({ hasText: 'the-newest' }).waitFor();
    await page.keyboard.press('Enter');
    const record = page.getByRole('article', { name: /^Record/ });
    await record.getByText('move it to the trash instead', { exact: true }).waitFor();
    await record.getByRole('heading', { name: 'Rule by rule' }).waitFor();
    const said = await record.innerText();
    expect(said.indexOf('refused · hint')).toBeLessThan(said.indexOf('Why'));
    expect(said.indexOf('The agent was told')).toBeLessThan(said.indexOf('Rule by rule'));
    await record.getByText('checked', { exact: true }).waitFor();
    await expect.poll(() => new URL(page.url()).searchParams.get('open')).toMatch(/^\d+$/);
    await page.keyboard.press('Escape');
    await record.waitFor({ state: 'detached' });
    await done();
  });

  it('opens a record by a press, also from its address', async () => {
    await open();
    await rows('notes.read_file').first().click();
    await page.getByRole('article').getByText('keys are not for agents').first().waitFor();
    await expect.poll(() => page.getByRole('row', { selected: true }).innerText()).toContain('read_file');
    const isSelected = (): Promise<string> => page.getByRole('row', { selected: true }).innerText();
    await page.reload();
    await page.getByRole('article').getByText('keys are not for agents').first().waitFor();
    await expect.poll(isSelected).toContain('read_file');
    // Another filter shows it still.
    await page.getByRole('combobox', { name: 'Filter' }).fill('tool:read_file');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove tool:read_file' }).waitFor();
    await page.getByRole('article').getByText('keys are not for agents').first().waitFor();
    await expect.poll(isSelected).toContain('read_file');
    await done();
  });

  it('stands still while it is paused, counts what comes, and follows again', async () => {
    await open();
    await page.keyboard.press(' ');
    await page.getByRole('button', { name: 'Paused · follow' }).waitFor();
    await at.run.decided('rm -rf while-paused');
    const pill = page.getByRole('button', { name: '1 new one, 1 refused · follow' });
    await pill.waitFor();
    // The list ends above the pill.
    const isAbove = (): Promise<boolean> =>
      pill.evaluate((over) => {
        const list = document.querySelector('#live')?.getBoundingClientRect();
        return (list?.bottom ?? Number.NaN) <= over.getBoundingClientRect().top;
      });
    await expect.poll(isAbove).toBe(true);
    await page.keyboard.press('End');
    await rows('rm -rf while-paused').waitFor();
    await expect.poll(() => page.getByRole('button', { name: /follow$/ }).count()).toBe(0);
    await done();
  });

  it('filters by what is typed, by a chip and by the tool of a row, and clears', async () => {
    await open();
    await page.keyboard.press('/');
    await page.keyboard.type('decision:refused');
    await page.keyboard.press('Enter');
    await rows('notes.send_mail').waitFor();
    await expect.poll(() => rows('npm test').count()).toBe(0);
    await expect.poll(() => new URL(page.url()).searchParams.get('f')).toBe('decision:refused');
    await page.getByRole('button', { name: 'Remove decision:refused' }).click();
    await rows('npm test').first().waitFor();
    await rows('notes.read_file').first().click();
    await page.keyboard.press('x');
    await expect.poll(() => rows('notes.read_file').count()).toBe(0);
    await expect.poll(() => new URL(page.url()).searchParams.get('f')).toBe('-tool:read_file');
    await page.keyboard.press('c');
    await rows('notes.read_file').first().waitFor();
    await done();
  });

  it('says where a filter cannot be read, and that nothing fits', async () => {
    await open();
    const field = page.getByRole('combobox', { name: 'Filter' });
    await field.fill('is:wonderful');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').filter({ hasText: 'is:' }).first().waitFor();
    // It stays to be mended, and what stood there before holds.
    await expect.poll(() => field.inputValue()).toBe('is:wonderful');
    await expect.poll(() => page.getByRole('button', { name: /^Remove/ }).count()).toBe(0);
    await rows('npm test').first().waitFor();
    await field.fill('tool:no-such-tools');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove tool:no-such-tools' }).waitFor();
    await page.keyboard.press('Backspace');
    await expect.poll(() => field.inputValue()).toBe('tool:no-such-tools');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Nothing fits this filter' }).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await rows('npm test').first().waitFor();
    await done();
  });

  it('completes the words of a filter by the arrow keys', async () => {
    await open();
    await page.keyboard.press('/');
    await page.keyboard.type('deci');
    await page.getByRole('option', { name: /^decision:/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: /^decision:/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    const field = page.getByRole('combobox', { name: 'Filter' });
    await expect.poll(() => field.inputValue()).toBe('decision:');
    await done();
  });

  it('goes to a time by a press on the histogram, and plays again from a record', async () => {
    await open();
    const box = await histogram();
    await page.mouse.click(box.x + 3, box.y + 10);
    await expect.poll(() => page.getByRole('row', { selected: true }).count()).toBe(1);
    await page.keyboard.press('Home');
    await page.getByRole('row', { selected: true }).and(page.locator('[aria-rowindex="1"]')).waitFor();
    const all = await count();
    // Paused, it stays: a replay ends by itself.
    const paused = page.getByRole('button', { name: /^Replay 4×, paused/ });
    await expect
      .poll(async () => {
        await page.keyboard.press('r');
        await page.keyboard.press(' ');
        return paused.isVisible();
      })
      .toBe(true);
    await expect.poll(count).toBeLessThan(all);
    await page.keyboard.press('>');
    await page.getByRole('button', { name: /^Replay 16×, paused/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(count).toBeGreaterThanOrEqual(all);
    await done();
  });

  it('keeps to a time by a drag with Shift, which stands in the filter', async () => {
    await open();
    const box = await histogram();
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + 2, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + 10, { steps: 4 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    await page.getByRole('button', { name: /^Remove until:/ }).waitFor();
    const [since = '', until = ''] = (new URL(page.url()).searchParams.get('f') ?? '').split(' ');
    const [from, to] = [since, until].map((term) => Date.parse(term.slice(6).replaceAll('"', '')));
    expect(since).toMatch(/^since:/);
    expect(Number(to)).toBeGreaterThan(Number(from));
    await expect.poll(() => rows('npm test').count()).toBe(0);
    await page.keyboard.press('c');
    await rows('npm test').first().waitFor();
    await done();
  });

  it('says why in a narrow row, beside the object', async () => {
    opened = await openPage(browser, at.at.home, {
      at: '?f=decision:refused,hinted',
      width: 360,
      height: 740,
    });
    ({ page } = opened);
    await page.getByRole('row').last().waitFor();
    for (const [object, why] of [
      ['rm -rf dist', 'no-removal-of-folders says no'],
      ['id_ed25519', 'keys are not for agents'],
    ] as const) {
      const row = rows(object).filter({ hasText: why }).first();
      await row.scrollIntoViewIfNeeded();
      for (const text of [object, why]) {
        const box = await row.getByRole('gridcell').filter({ hasText: text }).boundingBox();
        expect(box?.width, text).toBeGreaterThan(60);
        expect((box?.x ?? 0) + (box?.width ?? 0), text).toBeLessThanOrEqual(360);
      }
    }
    await done();
  });

  it('tells that everything was stopped, and that it went on', async () => {
    await open('?f=action:panic.*');
    await expect
      .poll(() => rows('panic.begin').innerText())
      .toMatch(/operator[\s\S]*stopped[\s\S]*it pushed to main/);
    await expect.poll(() => rows('panic.end').innerText()).toContain('resumed');
    await rows('panic.begin').click();
    await page.getByRole('article').getByRole('heading', { name: 'Why' }).waitFor();
    await done();
  });

  it('says who asked for what belongs to no run', async () => {
    await at.values('approvals', 'deny', at.questions[0] ?? '');
    await open('?f=action:approvals.deny');
    await rows('approvals.deny').first().waitFor();
    await expect.poll(() => rows('approvals.deny').first().innerText()).toContain('operator');
    await rows('approvals.deny').first().click();
    await page.getByRole('article').getByText('asked by operator').waitFor();
    await done();
  });

  it('goes to a run by the end of its id, and to an entry by its audit reference', async () => {
    // Rows of this very page push it out of the view.
    await open('?f=npm');
    const goTo = async (text: string): Promise<void> => {
      await page.keyboard.press(':');
      await page.getByRole('dialog', { name: 'Go to' }).getByRole('textbox').fill(text);
      await page.keyboard.press('Enter');
    };
    const end = (await rows('npm test').first().locator('.c-run').innerText()).trim();
    expect(end).toMatch(/^[0-9A-Z]{6}$/);
    await goTo(end);
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/ui/runs/${end}`);
    await page.getByRole('heading', { name: end }).waitFor();
    await goTo(`7.${'0'.repeat(64)}`);
    await expect.poll(() => new URL(page.url()).pathname).toBe('/ui/record/7');
    await done();
  });

  it('copies a text that a record keeps', async () => {
    // Rows of this very page have pushed it out of the view.
    await open('?f=tool%3Aread_file');
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await rows('notes.read_file').first().click();
    const kept = page.getByRole('article').locator('section', {
      has: page.getByRole('heading', { name: 'Arguments', exact: true }),
    });
    await kept.getByRole('button', { name: 'Copy', exact: true }).click();
    await kept.getByRole('button', { name: 'Copied' }).waitFor();
    const field = page.getByRole('combobox', { name: 'Filter' });
    await field.press('Control+V');
    await expect.poll(() => field.inputValue()).toContain('id_ed25519');
    await done();
  });

  it('copies a record as a command', async () => {
    await open();
    // The state of the gateway says which home a command is for.
    await page.getByText(/run live$/).waitFor();
    await opened.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.keyboard.press('n');
    await page.getByRole('row', { selected: true }).waitFor();
    await page.keyboard.press('y');
    // It is told to ears and to eyes.
    await page.locator('.keyline').getByText('copied', { exact: true }).waitFor();
    await page.locator('[aria-live=polite]').getByText('copied').waitFor({ state: 'attached' });
    const field = page.getByRole('combobox', { name: 'Filter' });
    await field.press('Control+V');
    await expect.poll(() => field.inputValue()).toMatch(new RegExp(`^sub show \\d+ --home ${at.at.home}$`));
    await done();
  });

  it('connects again where its token came too late, as out of a machine that slept: no session is over', async () => {
    opened = await openPage(browser, at.at.home);
    ({ page } = opened);
    let sockets = 0;
    await page.routeWebSocket(/\/ui\/ws$/, (socket) => {
      sockets += 1;
      socket.connectToServer();
      if (sockets === 1) socket.onMessage(() => undefined);
    });
    await page.reload();
    await page.getByRole('row').last().waitFor();
    await page.getByText('connected', { exact: true }).waitFor();
    await expect.poll(() => sockets).toBe(2);
    await done();
  });

  it('misses nothing where its connection is cut, and says how it stands meanwhile', async () => {
    opened = await openPage(browser, at.at.home);
    ({ page } = opened);
    let cut: (() => Promise<void>) | undefined;
    // Nobody answers until that was seen: a quick return would leave nothing to see.
    let isDown = false;
    await page.routeWebSocket(/\/ui\/ws$/, (socket) => {
      if (isDown) {
        void socket.close();
        return;
      }
      const server = socket.connectToServer();
      cut = () => Promise.all([socket.close(), server.close()]).then(() => undefined);
    });
    await page.reload();
    await page.getByRole('row').last().waitFor();
    for (let round = 0; round < 3; round += 1) {
      await at.run.decided(`rm -rf before-${round}`);
      await rows(`rm -rf before-${round}`).waitFor();
      isDown = true;
      await cut?.();
      await page.getByText('not connected').waitFor();
      await at.run.decided(`rm -rf meanwhile-${round}`);
      isDown = false;
      await rows(`rm -rf meanwhile-${round}`).waitFor();
      await page.getByText('connected', { exact: true }).waitFor();
    }
    for (const when of ['before', 'meanwhile'])
      for (let round = 0; round < 3; round += 1)
        await expect.poll(() => rows(`rm -rf ${when}-${round}`).count()).toBe(1);
    // As many rows as the record has: none is missing, and none is there twice.
    const all = (await at.values('query', '--limit', '1000')).length;
    await expect.poll(count).toBe(all);
    await opened.close();
  });

  it('names the agents of rows that were there before their names came', async () => {
    opened = await openPage(browser, at.at.home);
    ({ page } = opened);
    let answer: () => void = () => undefined;
    const isShown = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/ui/api/agents', (route) => isShown.then(() => route.continue()));
    await page.goto(new URL('/ui/?f=tool:send_mail', page.url()).href);
    const agent = rows('notes.send_mail').first().locator('.c-agent');
    await agent.waitFor({ state: 'attached' });
    expect(await agent.innerText()).toBe('');
    answer();
    await expect.poll(() => agent.innerText()).toBe('fixer');
    await done();
  });

  it('asks for the names of agents when runs begin or end, and not with each call', async () => {
    opened = await openPage(browser, at.at.home);
    ({ page } = opened);
    let asked = 0;
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === '/ui/api/agents') asked += 1;
    });
    // Those of the page before it was loaded again are no matter here.
    page.on('framenavigated', () => {
      asked = 0;
    });
    await page.reload();
    await page.getByRole('row').last().waitFor();
    for (let round = 0; round < 3; round += 1) {
      await at.run.decided(`rm -rf names-${round}`);
      await rows(`rm -rf names-${round}`).waitFor();
      await page.waitForTimeout(1100);
    }
    expect(asked).toBe(1);
    await done();
  });

  it('moves in the list by keys alone, a page and to both ends', async () => {
    await open();
    const place = (): Promise<string | null> =>
      page.getByRole('row', { selected: true }).getAttribute('aria-rowindex');
    await page.keyboard.press('Home');
    await expect.poll(place).toBe('1');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await expect.poll(place).toBe('2');
    const isActive = (): Promise<boolean> =>
      page
        .getByRole('row', { selected: true })
        .evaluate((row) => row.closest('[role=grid]')?.getAttribute('aria-activedescendant') === row.id);
    await expect.poll(isActive).toBe(true);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys of this view' }).waitFor();
    await page.getByRole('checkbox', { name: /^Letters alone act as keys/ }).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    // The arrow still moves: had the letter moved, too, it would be another row.
    await page.keyboard.press('ArrowDown');
    await expect.poll(place).toBe('3');
    await done();
  });
});
