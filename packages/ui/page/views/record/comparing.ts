import { API, type RecordsPage, type Row } from '../../../src/protocol/index.js';
import { termText } from '../../filter/terms.js';
import type { Page } from '../../state/page.js';

/** Pages that are read to find a call; each looks at as many entries as the gateway walks at once. */
const MOST_PAGES = 20;
const LIMIT = 20;

/** Marks a call, to be compared with another one; a marked one no more. */
export function mark(page: Page, seq: number): void {
  const isOff = page.marked.peek() === seq;
  page.marked.value = isOff ? null : seq;
  page.say(isOff ? `entry ${seq} is not marked any more` : `entry ${seq} is marked`);
}

/** The newest earlier call of the same tool; null if there is none in so many pages. Throws `Refused`. */
export async function callBefore(
  { api }: Pick<Page, 'api'>,
  { seq, server, tool }: Pick<Row, 'seq' | 'server' | 'tool'>,
): Promise<number | null> {
  const f = [
    'kind:call',
    ...(server === null ? [] : [termText('server', server)]),
    ...(tool === null ? [] : [termText('tool', tool)]),
  ].join(' ');
  let before: number | null = seq;
  for (let pages = 0; before !== null && pages < MOST_PAGES; pages += 1) {
    const found: RecordsPage = await api.get<RecordsPage>(API.records, { f, before, limit: LIMIT });
    // A name may be read as a pattern of several.
    const same = found.rows.find((row) => row.seq < seq && row.server === server && row.tool === tool);
    if (same !== undefined) return same.seq;
    before = found.next;
  }
  return null;
}
