import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const FOLDER = fileURLToPath(new URL('../aria/', import.meta.url));
const SETTLES_MS = 1500;

/** Texts of one day, such as its folders and runs, and the word that stands for each. */
export type Names = readonly (readonly [string, string])[];

/** All that another day has otherwise, and the word that stands for it. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  // In an address, and no part of the word behind it.
  [/%3A/g, ':'],
  [/\b\d{4}-\d\d-\d\d\b/g, 'DATE'],
  [/\b\d\d:\d\d:\d\d\b/g, 'TIME'],
  [/\b[0-9a-f]{16}\.localhost\b/g, 'HOST'],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{8,64}\b/g, 'HASH'],
  [/(?<=127\.0\.0\.1:)\d+/g, 'PORT'],
  [/\b[\d.,]+ (?:ms|s|m|h|d)\b/g, 'SPAN'],
  [/\b[\d.,]+ (?:B|[KMGT]iB)\b/g, 'SIZE'],
  [/\b[0-9A-Z]{26}\b/g, 'RUN'],
  [/\b\d+ sessions? of pages\b/g, 'SESSIONS'],
  [/(?<=gridcell "page |- row "TIME page )[\w-]{6}(?=["\s])/g, 'SESSION'],
  // One browser asks for them, another one never shows any.
  [/- paragraph:\n +- checkbox "Tell me by[^\n]*\n +- text: Tell me by[^\n]*/g, '- paragraph: NOTIFICATIONS'],
  [/- paragraph: The settings of this browser forbid[^\n]*/g, '- paragraph: NOTIFICATIONS'],
  // Entries come while the page is read.
  [/ [\d,]+ newer, not hashed yet\./g, ''],
  [/\b\d+(?= waiting\b)/g, 'N'],
  [/(?<=the highest )\d+ records?/g, 'COUNT'],
  [/(?<=\b[Ee]ntry )\d+/g, 'N'],
  [/\b\d[\d,]*\d\b/g, 'N'],
  // A call of less than a millisecond says no time.
  [/(?<=- gridcell) "SPAN"|(?<=- row .*) SPAN(?=[ "])/g, ''],
];

/** The whole page as a screen reader gets it, with words for what differs from day to day. */
export async function ariaOf(page: Page, names: Names): Promise<string> {
  let text = await page.locator('body').ariaSnapshot();
  for (const [name, word] of names) text = text.replaceAll(name, word);
  for (const [form, word] of WORDS) text = text.replace(form, word);
  return `${withoutOrder(text.split('\n')).join('\n')}\n`;
}

/** Rows of a list stand in the order of its pool: each once, in the order of the alphabet. */
function withoutOrder(lines: readonly string[]): readonly string[] {
  const out: string[] = [];
  let rows: string[] = [];
  let indent = '';
  const flush = (): void => {
    out.push(...[...new Set(rows)].toSorted());
    rows = [];
  };
  for (const line of lines) {
    const [, before = ''] = /^( *)/.exec(line) ?? [];
    if (/^ *- row /.test(line)) {
      indent = before;
      rows.push(line.replace(/ \[selected\]/, ''));
    } else if (rows.length > 0 && before.length > indent.length)
      rows[rows.length - 1] = `${rows.at(-1) ?? ''}\n${line}`;
    else {
      flush();
      out.push(line);
    }
  }
  flush();
  return out;
}

/** Waits until the page says what its file says; `RENEW_ARIA=1` writes the file anew instead. */
export async function expectAria(page: Page, name: string, names: Names): Promise<void> {
  const file = `${FOLDER}${name}.yml`;
  const now = (): Promise<string> => ariaOf(page, names);
  if (process.env['RENEW_ARIA'] === undefined) {
    await expect.poll(now, { message: name }).toBe(readFileSync(file, 'utf8'));
    return;
  }
  await page.waitForTimeout(SETTLES_MS);
  writeFileSync(file, await now());
}
