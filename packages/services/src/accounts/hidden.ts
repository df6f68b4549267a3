import type { HiddenValue } from '@subluminal/core-types';
import type { AnyAccount } from './account.js';

/** Shorter parts of a secret would be found in texts that hold none. */
const MIN_PART = 8;

/** Every form of an account's secret: as it was given, and as it goes over a wire. */
export function hiddenOf(account: AnyAccount, secret: string): readonly HiddenValue[] {
  return named(account, secret, formsOf(account, secret));
}

/** The same forms, and those in which a service may repeat the secret. */
export function repeatedOf(account: AnyAccount, secret: string): readonly HiddenValue[] {
  return named(account, secret, [...encodings(secret), ...formsOf(account, secret)]);
}

function named(account: AnyAccount, secret: string, forms: readonly string[]): readonly HiddenValue[] {
  const name = `account ${account.name}`;
  return [...new Set([secret, ...forms])]
    .filter((value) => value === secret || value.length >= MIN_PART)
    .map((value) => ({ name, value }));
}

function formsOf(account: AnyAccount, secret: string): readonly string[] {
  switch (account.kind) {
    case 'email': {
      const { user } = account.settings;
      return [...encoded64(`\0${user}\0${secret}`), ...encoded64(secret)];
    }
    case 'calendar':
      return encoded64(`${account.settings.user}:${secret}`);
    case 'finance':
      return partsOf(secret);
    case 'api':
      return account.settings.scheme === 'basic'
        ? [...encoded64(secret), secret.slice(secret.indexOf(':') + 1)]
        : [];
    case 'health':
      return [];
  }
}

/** The user name and the password of an access URL, as it has them and as they are sent. */
function partsOf(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { username, password } = new URL(url);
  const [user, word] = [username, password].map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return [username, password, user ?? '', word ?? '', ...encoded64(`${user}:${word}`)];
}

function encodings(text: string): readonly string[] {
  return [encodeURIComponent(text), ...encoded64(text)];
}

/** Without padding, so that both forms are found. */
function encoded64(text: string): readonly string[] {
  const bytes = Buffer.from(text, 'utf8');
  return [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')];
}
