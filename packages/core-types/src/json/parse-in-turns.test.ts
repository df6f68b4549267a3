import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SublError } from '../errors/subl-error.js';
import { canonicalize } from './canonicalize.js';
import { parseJsonInTurns } from './parse-in-turns.js';
import { parseJson } from './parse.js';
import type { JsonValue } from './value.js';

/** The canonical text of what was read, or the error. */
async function readBy(read: (text: string) => JsonValue | Promise<JsonValue>, text: string): Promise<string> {
  try {
    return canonicalize(await read(text));
  } catch (error) {
    if (error instanceof SublError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

const piece = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a"',
  '"b"',
  '1',
  '-0',
  '1.50',
  'null',
  ' ',
  '"x',
);
const texts = fc.oneof(
  fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.jsonValue().map((value) => JSON.stringify(value, null, 1)),
);

describe('a text that is read in turns', () => {
  it('means what it means when it is read at once, and is refused in the same words', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await readBy(parseJsonInTurns, text)).toBe(await readBy(parseJson, text));
      }),
      { numRuns: 1000 },
    );
  });

  it('gives way to others after some thousand values', async () => {
    const text = `[${Array.from({ length: 100_000 }, () => '1.50').join()}]`;
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const value = await parseJsonInTurns(text);
    isOver = true;
    expect(canonicalize(value)).toBe(canonicalize(parseJson(text)));
    expect(turns).toBeGreaterThan(10);
  });
});
