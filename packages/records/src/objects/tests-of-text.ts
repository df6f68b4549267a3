import { textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { previewsOf } from '../entry.js';
import type { RecordTest } from '../search.js';

/** Records with a text in what is kept of their arguments and answers, whatever its case. */
export function textTest(reader: LedgerReader, text: string): RecordTest {
  const wanted = [text, JSON.stringify(text).slice(1, -1)].map((one) => one.toLowerCase());
  return ({ first, decision, last }) => {
    const rows = [first, decision, last].filter((row) => row !== null);
    const previews = rows.flatMap((row) => previewsOf(reader, row));
    const has = (kept: string | null): boolean => {
      const lower = kept?.toLowerCase();
      return lower !== undefined && wanted.some((one) => lower.includes(one));
    };
    if (previews.some((preview) => has(preview.text))) return 'yes';
    return previews.some(({ state }) => state !== 'present') ? 'unknown' : 'no';
  };
}

/** Records of runs that work in a folder, or below it; it may be known under several paths. */
export function projectTest(folders: readonly string[]): RecordTest {
  return ({ first }, start) => {
    if (first.runId === null) return 'no';
    if (start === undefined) return 'unknown';
    const folder = textAt(start.data, 'workload', 'repo_path');
    const isIn = folders.some((one) => folder === one || folder.startsWith(one === '/' ? one : `${one}/`));
    return folder !== '' && isIn ? 'yes' : 'no';
  };
}
