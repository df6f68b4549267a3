import { afterAll, beforeAll, describe } from 'vitest';
import { carryOut, SEVERAL_FILES } from '../../../testing/attacks/attack.js';
import { Book } from '../../../testing/attacks/book.js';
import { ROW_ATTACKS } from '../../../testing/attacks/all.js';

let book: Book;
beforeAll(async () => {
  book = await Book.write({ segmentBytes: 1 });
}, 180_000);
afterAll(() => book.remove());

describe('what is done to rows of a ledger of several files, on both sides of where one ends, is found', () => {
  carryOut(ROW_ATTACKS, () => book, SEVERAL_FILES);
});
