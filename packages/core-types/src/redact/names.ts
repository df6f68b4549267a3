/**
 * Endings of names whose values are secret, without separators and in lower case (`githubToken`,
 * `DB_PASSWORD`).
 */
const ENDINGS: readonly string[] = [
  'password',
  'passwords',
  'passwd',
  'passphrase',
  'secret',
  'secrets',
  'token',
  'apikey',
  'apikeys',
  'accesskey',
  'privatekey',
  'secretkey',
  'secretkeybase',
  'signingkey',
  'encryptionkey',
  'masterkey',
  'credential',
  'credentials',
  'cookie',
  'cookies',
  'authorization',
  'sessionid',
  'connectionstring',
  'sessid',
  'bearer',
  'mnemonic',
  'seedphrase',
  'recoveryphrase',
  'amzsignature',
  'accountkey',
  'subscriptionkey',
  'sharedkey',
  'sshkey',
];

/** Short names that are secret only as a word of their own: `DB_PASS`, but not `compass`. */
const LAST_WORDS: readonly string[] = ['pass', 'pwd', 'pw', 'auth', 'jwt', 'pat', 'sig', 'otp'];

const HEADERS: readonly string[] = ['authorization', 'cookie'];

/** How every ending ends: most names are plain, and this tells it without asking for each. */
const TAILS: ReadonlySet<string> = new Set([...ENDINGS, ...HEADERS].map((ending) => ending.slice(-3)));
const WORD_TAILS: ReadonlySet<string> = new Set(LAST_WORDS.map((word) => word.slice(-2)));

const SEPARATORS = /[_.-]/g;
const LAST_WORD = /(?:^|[_.-])([A-Za-z]{2,4})$|[a-z0-9]([A-Z][a-z]{1,3})$/;

/**
 * How a field's name tells to read its value: not secret, one secret value, or a header whose whole line is
 * secret.
 */
export type NameKind = 'plain' | 'secret' | 'header';

/** Judges a name of at most 64 characters. */
export function kindOfName(name: string): NameKind {
  const flat = name.replace(SEPARATORS, '').toLowerCase();
  const stem = stripDigits(flat);
  if (TAILS.has(stem.slice(-3))) {
    if (HEADERS.some((ending) => flat.endsWith(ending))) return 'header';
    if (ENDINGS.some((ending) => stem.endsWith(ending))) return 'secret';
  }
  if (!WORD_TAILS.has(flat.slice(-2))) return 'plain';
  const match = LAST_WORD.exec(name);
  const word = (match?.[1] ?? match?.[2] ?? '').toLowerCase();
  return LAST_WORDS.includes(word) ? 'secret' : 'plain';
}

function stripDigits(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) >= 0x30 && text.charCodeAt(end - 1) <= 0x39) end -= 1;
  return text.slice(0, end);
}
