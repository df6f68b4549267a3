import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concealedText } from './conceal.js';
import { SecretTexts } from './secret-texts.js';

const VALUE = 'ghp_1f+"/&secret-0123';
const PLACEHOLDER = 'PLACEHOLDERplaceholde';
const texts = new SecretTexts([
  { injectAs: 'T', secretRef: 't', source: 'store', places: [], placeholder: PLACEHOLDER, value: VALUE },
]);
const shownOf = (text: string): string => concealedText(text, texts.concealed());

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
