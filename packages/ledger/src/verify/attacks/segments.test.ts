import { afterAll, beforeAll, expect, it } from 'vitest';
import { Book, Copy } from '../../../testing/attacks/book.js';
import { SEGMENT_ATTACKS } from '../../../testing/attacks/segments.js';
import { VERDICT_EXIT } from '../report.js';
import { verifyLedger } from '../verify.js';

let book: Book;
beforeAll(async () => {
  book = await Book.write({ segmentBytes: 1 });
}, 180_000);
afterAll(() => book.remove());

it.each(SEGMENT_ATTACKS)('$name: $found', { timeout: 300_000 }, async ({ act, found }) => {
  const copy = book.copy();
  const result = await act(copy, book);
  const { path, headsLog, sealKey: sealKeyPath } = result instanceof Copy ? result : copy;
  const { verdict, exit, finding } = await verifyLedger(path, { headsLog, sealKeyPath });
  copy.remove();
  expect({ found: finding?.class ?? verdict, exit, detail: finding?.detail }).toMatchObject({
    found,
    exit: finding === null ? VERDICT_EXIT[verdict] : 4,
  });
});
