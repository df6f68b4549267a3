import { afterAll, beforeAll, describe } from 'vitest';
import { carryOut } from '../../../testing/attacks/attack.js';
import { Book } from '../../../testing/attacks/book.js';
import { ENTRY_ATTACKS } from '../../../testing/attacks/entries.js';

let book: Book;
beforeAll(async () => {
  book = await Book.write();
}, 180_000);
afterAll(() => book.remove());

describe('what is done to entries, at the first, a middle, a boundary and the last one, is found', () => {
  carryOut(ENTRY_ATTACKS, () => book);
});
