import { afterAll, beforeAll, describe } from 'vitest';
import { carryOut } from '../../../testing/attacks/attack.js';
import { Book } from '../../../testing/attacks/book.js';
import { HEAD_ATTACKS } from '../../../testing/attacks/heads.js';

let book: Book;
beforeAll(async () => {
  book = await Book.write();
}, 180_000);
afterAll(() => book.remove());

describe('what is done to the head, the whole and its memory is found', () => {
  carryOut(HEAD_ATTACKS, () => book);
});
