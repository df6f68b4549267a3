import { afterAll, beforeAll, describe } from 'vitest';
import { carryOut } from '../../../testing/attacks/attack.js';
import { Book } from '../../../testing/attacks/book.js';
import { STORAGE_ATTACKS } from '../../../testing/attacks/storage.js';

let book: Book;
beforeAll(async () => {
  book = await Book.write();
}, 180_000);
afterAll(() => book.remove());

describe('what is done below the rows is found', () => {
  carryOut(STORAGE_ATTACKS, () => book);
});
