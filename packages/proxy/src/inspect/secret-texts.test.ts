import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Turns } from '@subluminal/gateway';
import { Automata } from './automata.js';
import { concealedText } from './conceal.js';
import { SecretTexts, soughtIn } from './secret-texts.js';

const VALUE = 'ghp_1f+"/&secret-0123';
const PLACEHOLDER = 'PLACEHOLDERplaceholde';
const LIVE = [
  { injectAs: 'T', secretRef: 't', source: 'store', places: [], placeholder: PLACEHOLDER, value: VALUE },
] as const;
const sought = await soughtIn(LIVE, new Automata(new Turns(() => performance.now())));
const newTexts = (): SecretTexts => new SecretTexts(LIVE, sought);
const texts = newTexts();
const shownOf = (text: string): string => concealedText(text, texts.concealed());

describe('the logins of one connection', () => {
  const login = (before: string): string =>
    `Basic ${Buffer.from(`${before}:${PLACEHOLDER}`).toString('base64')}`;

  it('are looked for in what comes back', () => {
    const one = newTexts();
    const { value, injected } = one.putInto(login('me'));
    expect(injected).toEqual(['T']);
    expect(concealedText(`it was ${value}`, one.concealed())).toBe(`it was ${login('me')}`);
  });

  it('are at most 64, of 8,192 letters in all', () => {
    const many = newTexts();
    for (let n = 0; n < 64; n += 1) many.putInto(login(String(n)));
    expect(() => many.putInto(login('63'))).not.toThrow();
    expect(() => many.putInto(login('64'))).toThrow(RangeError);
    const long = newTexts();
    for (const letter of ['a', 'b']) long.putInto(login(letter.repeat(2900)));
    expect(() => long.putInto(login('c'.repeat(300)))).toThrow(RangeError);
  });
});

describe('the ways in which a secret comes back', () => {
  it('are taken out of hex, and of base64 wherever it stands in what was written so', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, behind) => {
        const bytes = Buffer.from(`${before}${VALUE}${behind}`);
        const writings = (['base64', 'base64url', 'hex'] as const).map(
          (coding) => [coding, bytes.toString(coding)] as const,
        );
        for (const [coding, text] of writings) {
          const shown = shownOf(text);
          expect(shown).toHaveLength(text.length);
          // At both ends letters are shared with what stands beside it.
          const read = Buffer.from(shown, coding).toString('latin1');
          expect(read).not.toContain(VALUE.slice(1, 6));
          expect(read).not.toContain(VALUE.slice(-6, -1));
        }
        expect(shownOf(bytes.toString('hex').toUpperCase())).not.toContain(
          Buffer.from(VALUE).toString('hex').toUpperCase(),
        );
      }),
    );
  });
});
