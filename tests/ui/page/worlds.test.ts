import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, afterEach, describe, expect, it, vi } from 'vitest';
import { Stage, whyNoWorlds } from '../../worlds/kit/stage.js';
import { faultsOf } from './kit/axe.js';
import { goByKeys, type Looks, MISSING, openPage, startBrowser, unlockCode } from './kit/browser.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = MISSING ?? whyNoWorlds() ?? null;

const LOOKS: readonly (readonly [string, Looks])[] = [
  ['1440 px, dark', { theme: 'dark' }],
  ['1440 px, light', { theme: 'light' }],
  ['360 px, light', { width: 360, height: 740, theme: 'light' }],
  ['360 px, dark', { width: 360, height: 740, theme: 'dark' }],
];

/** A project with a change of each kind, and names that would act if they were more than text. */
const CHANGES = String.raw`echo x >> a; rm gone; mkdir -p src/deep; echo 1 > src/deep/new; echo all: > Makefile
ln -s / out; printf '\0\1' > binary; echo '<b>bold</b>' > markup
echo 1 > '<img src=x onerror=window.pwned=1>'; echo 2 > "$(printf '\342\200\256gpj.exe')"
echo 3 > "$(printf 'n\377')"; echo 4 > "$(printf 'a\nb')"; echo 5 > "$(printf 'x%.0s' $(seq 250))"`;

describe.skipIf(why !== null)(`the worlds of the page${why === null ? '' : ` (${why})`}`, () => {
  let browser: Browser;
  let stage: Stage;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    stage = new Stage(undefined);
    for (const name of ['a', 'gone']) writeFileSync(join(stage.project, name), `${name}\n`);
    await stage.start({});
  });
  afterEach(() => stage.remove());
  const textOf = (name: string): string | undefined => {
    const path = join(stage.project, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  };
  const unlocked = async (page: Page): Promise<void> => {
    await page.getByRole('textbox', { name: /Code that/ }).fill(await unlockCode(stage.home));
    await page.getByRole('button', { name: 'Unlock and go on' }).click();
  };

  it.each(LOOKS)(
    'are listed and shown, every name as text, without a fault of accessibility: %s',
    async (_, looks) => {
      await stage.inWorld(CHANGES);
      const opened = await openPage(browser, stage.home, looks);
      const { page } = opened;
      const check = async (name: string): Promise<void> => {
        expect(await faultsOf(page), name).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), name).toBe(
          true,
        );
      };
      await goByKeys(page, 'g w', '/ui/worlds');
      await page.getByRole('heading', { name: '1 layer holds changes' }).waitFor();
      await check('list');
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: stage.project }).waitFor();
      await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/ui\/worlds\/[0-9a-f]{8,16}$/);
      const list = page.locator('ul.changes');
      await expect.poll(() => list.getByRole('checkbox').count()).toBe(12);
      await expect.poll(() => list.innerText()).toContain('<img src=x onerror=window.pwned=1>');
      await expect.poll(() => list.innerText()).toContain(String.raw`\xe2\x80\xaegpj.exe`);
      await expect
        .poll(() => list.locator('li', { hasText: 'Makefile' }).innerText())
        .toContain('tools that build or test run it');
      await expect
        .poll(() => list.locator('li', { hasText: 'out' }).first().innerText())
        .toContain('not taken over: the link may lead out of the project');
      await page.getByRole('button', { name: 'changed a' }).click();
      await page.getByRole('group', { name: 'Lines of a' }).getByText('+x').waitFor();
      await page.getByRole('button', { name: 'added markup' }).click();
      await page.getByText('+<b>bold</b>').waitFor();
      await page.getByRole('button', { name: 'added binary' }).click();
      await page.getByText('no text: binary files differ').waitFor();
      await expect.poll(() => new URL(page.url()).searchParams.get('f')).toBe('binary');
      await check('layer');
      await page.reload();
      await page.getByText('no text: binary files differ').waitFor();
      expect(await page.evaluate(() => Reflect.get(window, 'pwned'))).toBeUndefined();
      await opened.expectClean();
      await opened.close();
    },
  );

  it('are taken over where a terminal agreed, what is asked about by a box of its own', async () => {
    await stage.inWorld('echo x >> a; echo 1 > new; echo all: > Makefile');
    const opened = await openPage(browser, stage.home, { at: 'worlds' });
    const { page } = opened;
    await page.locator('a.layer').click();
    const makefile = page.getByRole('checkbox', { name: 'Choose Makefile' });
    expect(await makefile.isChecked()).toBe(false);
    await page.getByRole('button', { name: 'Take over 2 files' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.innerText()).toContain(stage.project);
    await expect.poll(() => dialog.innerText()).toContain('What is asked about stays in the layer.');
    await dialog.getByRole('button', { name: 'No' }).click();
    expect(textOf('new')).toBeUndefined();
    await page.getByRole('button', { name: 'Take over 2 files' }).click();
    await dialog.getByRole('button', { name: 'Yes' }).click();
    await unlocked(page);
    await page.getByRole('status').filter({ hasText: '2 files taken over' }).waitFor();
    expect([textOf('a'), textOf('new'), textOf('Makefile')]).toEqual(['a\nx\n', '1\n', undefined]);
    await makefile.check();
    await page.getByRole('button', { name: 'Take over 1 file' }).click();
    await expect
      .poll(() => dialog.innerText())
      .toContain('Other programs run or obey 1 of them: Makefile (tools that build or test run it)');
    await dialog.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('The layer holds nothing more.').waitFor();
    expect(textOf('Makefile')).toBe('all:\n');
    await page.getByRole('link', { name: /^entry \d+$/ }).click();
    await page.getByText('layer.commit').first().waitFor();
    await page.getByRole('link', { name: 'Look at the layer' }).click();
    await page.getByText('there is no layer').waitFor();
    await opened.expectClean();
    await opened.close();
  });

  it('that changed meanwhile are shown again, and a conflict is named', async () => {
    await stage.inWorld('echo x >> a; echo 1 > new');
    const opened = await openPage(browser, stage.home, { at: 'worlds' });
    const { page } = opened;
    await page.locator('a.layer').click();
    await page.getByRole('button', { name: 'Take over 2 files' }).waitFor();
    writeFileSync(join(stage.project, 'a'), 'mine\n');
    await page.getByRole('button', { name: 'Take over 2 files' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
    await unlocked(page);
    await page.getByText('not taken over: the project has changed there, too').waitFor();
    expect(textOf('new')).toBeUndefined();
    await page.getByRole('button', { name: 'Take over 1 file' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Yes' }).click();
    await page.getByRole('status').filter({ hasText: '1 file taken over' }).waitFor();
    expect([textOf('a'), textOf('new')]).toEqual(['mine\n', '1\n']);
    await opened.expectClean();
    await opened.close();
  });

  it.each(['keys', 'pointer'] as const)(
    'take the place of what the project has since, once the lines of both were shown: by %s',
    async (by) => {
      await stage.inWorld('echo x >> a; echo 1 > new');
      writeFileSync(join(stage.project, 'a'), '<b>mine</b>\n');
      const opened = await openPage(browser, stage.home, { at: 'worlds', width: by === 'keys' ? 1440 : 360 });
      const { page } = opened;
      const press = async (what: Locator): Promise<void> => {
        if (by === 'pointer') return what.click();
        await what.focus();
        return page.keyboard.press(
          await what.evaluate((one) => (one.tagName === 'INPUT' ? 'Space' : 'Enter')),
        );
      };
      await press(page.locator('a.layer'));
      const row = page.getByRole('button', { name: 'changed a' });
      await row.waitFor();
      const choice = page.getByRole('checkbox', { name: /^Overwrite a:/ });
      expect(await choice.count()).toBe(0);
      await press(row);
      const lines = page.getByRole('group', { name: 'Lines of a' });
      await lines.getByText('-<b>mine</b>').waitFor();
      await lines.getByText('+x').waitFor();
      await press(choice);
      await page.getByText('the project loses its own').waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await press(page.getByRole('button', { name: 'Take over 2 files' }));
      const dialog = page.getByRole('dialog');
      await expect.poll(() => dialog.innerText()).toContain('What the project has now of one is lost: a.');
      await press(dialog.getByRole('button', { name: 'Yes' }));
      // It changes once more before the terminal agrees.
      writeFileSync(join(stage.project, 'a'), 'mine again\n');
      await unlocked(page);
      await lines.getByText('-mine again').waitFor();
      expect([textOf('a'), await choice.isChecked()]).toEqual(['mine again\n', false]);
      await press(choice);
      await press(page.getByRole('button', { name: 'Take over 2 files' }));
      await press(dialog.getByRole('button', { name: 'Yes' }));
      await page.getByText('The layer holds nothing more.').waitFor();
      expect([textOf('a'), textOf('new')]).toEqual(['a\nx\n', '1\n']);
      await opened.expectClean();
      await opened.close();
    },
  );

  it('are reached from their run, and their run from them', async () => {
    await stage.inWorld('echo x >> a');
    const opened = await openPage(browser, stage.home, { at: 'worlds' });
    const { page } = opened;
    await page.locator('a.layer').click();
    const toRun = page.getByRole('link', { name: /^Run / });
    await toRun.focus();
    await page.keyboard.press('Enter');
    const toLayer = page.getByRole('link', { name: /^layer [0-9a-f]+ over / });
    await toLayer.waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await toLayer.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: stage.project }).waitFor();
    await page.goBack();
    await toLayer.click();
    await page.getByRole('button', { name: 'changed a' }).waitFor();
    await opened.expectClean();
    await opened.close();
  });

  it('are thrown away by what is chosen, and by all', async () => {
    await stage.inWorld('echo x >> a; echo 1 > new; echo all: > Makefile');
    const opened = await openPage(browser, stage.home, { at: 'worlds' });
    const { page } = opened;
    await page.locator('a.layer').click();
    await page.getByRole('checkbox', { name: 'Choose a', exact: true }).uncheck();
    await page.getByRole('button', { name: 'Throw away 1 file' }).click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => dialog.innerText()).toContain('nowhere else');
    await dialog.getByRole('button', { name: 'Yes' }).click();
    await unlocked(page);
    await page.getByRole('status').filter({ hasText: '1 file thrown away' }).waitFor();
    await page.getByRole('checkbox', { name: 'All 2 files' }).check();
    await page.getByRole('button', { name: 'Throw away 2 files' }).click();
    await dialog.getByRole('button', { name: 'Yes' }).click();
    await page.getByText('The layer holds nothing more.').waitFor();
    expect([textOf('a'), textOf('new'), textOf('Makefile')]).toEqual(['a\n', undefined, undefined]);
    await page.getByRole('link', { name: 'All worlds' }).click();
    await page.getByRole('heading', { name: 'No world has changed anything' }).waitFor();
    expect(await faultsOf(page)).toEqual([]);
    await opened.expectClean();
    await opened.close();
  });
});
