import { afterAll, beforeAll, describe } from 'vitest';
import { carryOut } from '../../../testing/attacks/attack.js';
import { Book } from '../../../testing/attacks/book.js';
import { PAIR_ATTACKS } from '../../../testing/attacks/pairs.js';

let book: Book;
beforeAll(async () => {
  book = await Book.write();
}, 180_000);
afterAll(() => book.remove());

describe('what is done to what belongs together is found, and what only looks like it is not', () => {
  carryOut(PAIR_ATTACKS, () => book);
});
