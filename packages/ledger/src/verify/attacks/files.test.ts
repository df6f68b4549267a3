import { afterAll, beforeAll, describe } from 'vitest';
import { carryOut } from '../../../testing/attacks/attack.js';
import { Book } from '../../../testing/attacks/book.js';
import { FILE_ATTACKS } from '../../../testing/attacks/files.js';

let book: Book;
beforeAll(async () => {
  book = await Book.write();
}, 180_000);
afterAll(() => book.remove());

describe('what is done to the files is found', () => {
  carryOut(FILE_ATTACKS, () => book);
});
