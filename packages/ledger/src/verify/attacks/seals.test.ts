import { afterAll, beforeAll, describe } from 'vitest';
import { carryOut } from '../../../testing/attacks/attack.js';
import { Book } from '../../../testing/attacks/book.js';
import { SEAL_ATTACKS } from '../../../testing/attacks/seals.js';

let book: Book;
beforeAll(async () => {
  book = await Book.write();
}, 180_000);
afterAll(() => book.remove());

describe('what is done to seals, and with stolen keys, is found', () => {
  carryOut(SEAL_ATTACKS, () => book);
});
