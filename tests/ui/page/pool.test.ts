import type { AppendGroup, EntryInput, Ledger } from '@subluminal/ledger';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { start } from '../../gateway/harness.js';
import { MISSING, openPage, startBrowser } from './kit/browser.js';

const RUN = '01JDZ0000000000000000000AA';
const CALLS = 4000;
const CALLS_A_GROUP = 20;

/** Twenty calls that are over: sixty entries. */
function group(from: number): AppendGroup {
  return {
    entries: Array.from({ length: CALLS_A_GROUP }, (_, at): readonly EntryInput[] => {
      const call = { call_id: `call-${String(from + at).padStart(8, '0')}` };
      const base = { ts: Date.now(), runId: RUN, tool: ['fs', `tool-${from + at}`] as const };
      const code = at === 0 ? 'BLOCK' : 'ALLOW';
      return [
        { ...base, type: 'tool_call_start', ref: null, data: { call, shim_id: 's' } },
        {
          ...base,
          type: 'tool_call_decision',
          code,
          data: { call, decision: { action: code, rule_id: 'r' } },
        },
        { ...base, type: 'tool_call_end', code: 'OK', data: { call, latency_ms: 1 } },
      ];
    }).flat(),
  };
}

/** Whether rows stand from the upper edge of the list to its lower one, as many as are there. In the page. */
function isPainted(): boolean {
  const list = document.querySelector('[role=grid]');
  const shown = [...document.querySelectorAll('[role=row]')].map((row) => ({
    index: Number(row.getAttribute('aria-rowindex')),
    top: row.getBoundingClientRect().top,
  }));
  const area = list?.getBoundingClientRect();
  const indexes = shown.map(({ index }) => index);
  return (
    area !== undefined &&
    shown.some(({ top }) => top <= area.top) &&
    (shown.some(({ top }) => top >= area.bottom) ||
      Math.max(...indexes) === Number(list?.getAttribute('aria-rowcount')))
  );
}

describe.skipIf(MISSING !== null)(`a long list of the page${MISSING === null ? '' : ` (${MISSING})`}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  it(`shows ${CALLS} calls one after the other in as many elements as a screen needs`, async () => {
    let ledger: Ledger | undefined;
    const gateway = await start({
      wrapLedger: (own) => {
        ledger = own;
        return own;
      },
    });
    for (let from = 0; from < CALLS; from += CALLS_A_GROUP) await ledger?.append(group(from));
    const opened = await openPage(browser, gateway.paths.home);
    const { page } = opened;
    await page.getByRole('row').last().waitFor();
    const grid = page.getByRole('grid');
    const count = async (): Promise<number> => Number(await grid.getAttribute('aria-rowcount'));
    const seen = new Set<string>();
    let most = 0;
    // Each time it comes to the beginning, it reads a page more.
    await expect
      .poll(
        async () => {
          await page.keyboard.press('Home');
          most = Math.max(most, await page.getByRole('row').count());
          return count();
        },
        { timeout: 120_000 },
      )
      .toBeGreaterThanOrEqual(CALLS);
    await expect
      .poll(async () => {
        await page.keyboard.press('Home');
        return grid.evaluate(({ scrollTop }) => scrollTop);
      })
      .toBe(0);
    for (let isOver = false; ;) {
      // A busy machine lets frames go by before the list hears that it was scrolled.
      await page.waitForFunction(isPainted);
      const texts = await page.evaluate(() =>
        [...document.querySelectorAll('[role=row] .c-tool')].map((cell) => cell.textContent),
      );
      for (const text of texts) if (text.startsWith('fs.tool-')) seen.add(text);
      most = Math.max(most, texts.length);
      if (isOver) break;
      isOver = await grid.evaluate((element) => {
        element.scrollTop += element.clientHeight;
        return element.scrollTop + element.clientHeight >= element.scrollHeight - 1;
      });
    }
    expect(seen.size).toBe(CALLS);
    expect(most).toBeLessThan(60);
    await opened.expectClean();
    await opened.close();
  }, 300_000);
});
