import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Conceal, type Concealed, concealedText, Sought } from './conceal.js';

const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 6 });
const pieces = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 }), { maxLength: 12 });

const sought = (texts: readonly Concealed[]): Sought => new Sought(texts);

/** A text with an X for each letter of a secret in it. */
function crossed(text: string, secret: string): string {
  return Array.from(text, (letter, at) =>
    Array.from(secret, (_, back) => at - back).some((start) => start >= 0 && text.startsWith(secret, start))
      ? 'X'
      : letter,
  ).join('');
}

/** What comes out of all pieces. */
function through(conceal: Conceal, parts: readonly string[]): string {
  return [...parts.map((part) => conceal.push(Buffer.from(part))), conceal.end()].join('');
}

describe('a secret in what comes in pieces', () => {
  it('is concealed wherever the pieces end, and everything else comes through as it was', () => {
    fc.assert(
      fc.property(letters, pieces, (secret, parts) => {
        const texts = sought([{ from: Buffer.from(secret), to: Buffer.from('X'.repeat(secret.length)) }]);
        const whole = parts.join('');
        const shown = through(new Conceal(() => texts), parts);
        expect(shown).toHaveLength(whole.length);
        expect(shown).toBe(crossed(whole, secret));
        expect(shown).not.toContain(secret);
      }),
      { numRuns: 2000 },
    );
  });

  it('is concealed beside others, of which one may stand in another', () => {
    fc.assert(
      fc.property(letters, letters, pieces, (one, other, parts) => {
        const texts = new Sought(
          [one, other].map((text) => ({ from: Buffer.from(text), to: Buffer.from('X'.repeat(text.length)) })),
        );
        const shown = through(new Conceal(() => texts), parts);
        expect(shown).toHaveLength(parts.join('').length);
        for (const text of [one, other]) expect(shown).not.toContain(text);
      }),
      { numRuns: 2000 },
    );
  });

  it('holds back nothing but what could be its beginning', () => {
    const texts = sought([{ from: Buffer.from('secret'), to: Buffer.from('XXXXXX') }]);
    const conceal = new Conceal(() => texts);
    expect(conceal.push(Buffer.from('a whole line\n')).toString()).toBe('a whole line\n');
    expect(conceal.push(Buffer.from('sec')).toString()).toBe('');
    expect(conceal.push(Buffer.from('ond')).toString()).toBe('second');
    expect(concealedText('a secret here', texts)).toBe('a XXXXXX here');
  });

  it('is concealed from then on where it is looked for only since the answer began', () => {
    const [one, both] = [['secret'], ['secret', 'tomorrow']].map((texts) =>
      sought(texts.map((text) => ({ from: Buffer.from(text), to: Buffer.from('X'.repeat(text.length)) }))),
    ) as [Sought, Sought];
    let now = one;
    const conceal = new Conceal(() => now);
    expect(conceal.push(Buffer.from('tomorrow sec')).toString()).toBe('tomorrow ');
    now = both;
    expect(conceal.push(Buffer.from('ret tomor')).toString()).toBe('XXXXXX ');
    expect(conceal.push(Buffer.from('row')).toString()).toBe('XXXXXXXX');
  });

  it('costs time in proportion to what comes, whatever is looked for and however small its pieces are', () => {
    const made = Array.from({ length: 64 }, (_, n) =>
      Buffer.from(`${'A'.repeat(n * 120)}B${'A'.repeat(8000 - n * 120)}`),
    );
    const texts = sought(made.map((from) => ({ from, to: Buffer.alloc(from.length, 'X') })));
    const conceal = new Conceal(() => texts);
    const all = Buffer.alloc(2_000_000, 'A');
    expect(conceal.push(all).length + conceal.end().length).toBe(all.length);
    let passed = 0;
    for (let n = 0; n < 200_000; n += 1) passed += conceal.push(all.subarray(n, n + 1)).length;
    expect(passed + conceal.end().length).toBe(200_000);
  });

  it('gives a few bytes on where nothing more comes, and is concealed all the same where they were its beginning', () => {
    const texts = sought([{ from: Buffer.from('secret'), to: Buffer.from('XXXXXX') }]);
    const conceal = new Conceal(() => texts);
    const said = (text: string): string =>
      conceal.push(Buffer.from(text)).toString() + conceal.pause().toString();
    expect(['a', 's', 'e', 'c', 'r', 'et', '!', 'secre', 't', 'se'].map(said)).toEqual([
      'a',
      's',
      'e',
      'c',
      'r',
      'XX',
      '!',
      '',
      'XXXXXX',
      'se',
    ]);
    expect(conceal.end().toString()).toBe('');
  });

  it('never comes out whole, whatever pauses there are', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.string({ unit: fc.constantFrom('s', 'e', 'c', 'r', 't'), maxLength: 4 }), fc.boolean()),
        ),
        (parts) => {
          const texts = sought([{ from: Buffer.from('secret'), to: Buffer.from('XXXXXX') }]);
          const conceal = new Conceal(() => texts);
          let shown = '';
          for (const [text, pauses] of [...parts, ['secret', true] as const]) {
            shown += conceal.push(Buffer.from(text)).toString();
            if (pauses) shown += conceal.pause().toString();
          }
          shown += conceal.end().toString();
          expect(shown).toHaveLength(parts.map(([text]) => text).join('').length + 6);
          expect(shown).not.toContain('secret');
        },
      ),
      { numRuns: 2000 },
    );
  });
});
