import fc from 'fast-check';
import { expect, it } from 'vitest';
import { kindOfName } from './names.js';

// The words of names.ts, written out: what a name ends in decides, whatever stands before it.
const HEADERS = ['authorization', 'cookie'];
const SECRETS = (
  'password passwords passwd passphrase secret secrets token apikey apikeys accesskey privatekey secretkey ' +
  'secretkeybase signingkey encryptionkey masterkey credential credentials cookies sessionid connectionstring ' +
  'sessid bearer mnemonic seedphrase recoveryphrase amzsignature accountkey subscriptionkey sharedkey sshkey'
).split(' ');
const WORDS = ['pass', 'pwd', 'pw', 'auth', 'jwt', 'pat', 'sig', 'otp'];

/** The rule without a shortcut. */
function slowKind(name: string): string {
  const flat = name.replaceAll(/[_.-]/g, '').toLowerCase();
  if (HEADERS.some((ending) => flat.endsWith(ending))) return 'header';
  const stem = flat.replace(/[0-9]+$/, '');
  if ([...SECRETS, ...HEADERS].some((ending) => stem.endsWith(ending))) return 'secret';
  const match = /(?:^|[_.-])([A-Za-z]{2,4})$|[a-z0-9]([A-Z][a-z]{1,3})$/.exec(name);
  return WORDS.includes((match?.[1] ?? match?.[2] ?? '').toLowerCase()) ? 'secret' : 'plain';
}

const part = fc.oneof(
  fc.constantFrom(...HEADERS, ...SECRETS, ...WORDS, 'Pass', 'Pw', 'API_KEY', 'Api-Key', 'kie', 'com'),
  fc.stringMatching(/^[A-Za-z0-9_.-]{0,6}$/),
  fc.constantFrom('_', '-', '.', '1', '42', ''),
);

it('a name is judged as the whole list judges it', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 4 }), (parts) => {
      const name = parts.join('').slice(0, 64);
      expect(kindOfName(name)).toBe(slowKind(name));
    }),
    { numRuns: 3000 },
  );
});
