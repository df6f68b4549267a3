import { SublError, type AccountKind, type AccountSettings, type MailServer } from '@subluminal/core-types';
import { destinationFor, parseDestination, type Destination } from '@subluminal/egress';

/**
 * Every place that the actions of an account dial. Each has to be on the allowlist.
 *
 * @throws SublError `invalid_request` for a host that cannot be dialled.
 */
export function destinationsOf<K extends AccountKind>(
  kind: K,
  settings: AccountSettings<K>,
): readonly Destination[] {
  return DESTINATIONS[kind](settings);
}

const DESTINATIONS: {
  readonly [K in AccountKind]: (settings: AccountSettings<K>) => readonly Destination[];
} = {
  email: ({ imap, smtp }) => [
    ...(imap === undefined ? [] : [mailDestination('imap', imap)]),
    ...(smtp === undefined ? [] : [mailDestination('smtp', smtp)]),
  ],
  calendar: ({ url }) => [{ ...parseDestination(url), inside: 'caldav' }],
  finance: ({ origin }) => [parseDestination(origin)],
  health: ({ base }) => [parseDestination(base)],
  api: ({ origin }) => [parseDestination(origin)],
};

/** A mail server. `imap` and `smtp` begin in plain text and are secured by STARTTLS. */
export function mailDestination(part: 'imap' | 'smtp', { host, port, security }: MailServer): Destination {
  return destinationFor(security === 'tls' ? `${part}s` : part, host, port);
}

/**
 * Refuses a secret that cannot be one, or does not belong to the settings: the password of an access URL is
 * sent to no other origin.
 *
 * @throws SublError `usage`; the message holds nothing of it.
 */
export function assertSecretFits<K extends AccountKind>(
  kind: K,
  settings: AccountSettings<K>,
  secret: string,
): void {
  // A line feed would end the line of a protocol, or a header.
  if (/\p{Cc}/u.test(secret)) throw unfit('it holds a control character');
  if (kind !== 'finance') return;
  const url = URL.canParse(secret) ? new URL(secret) : undefined;
  if (url?.protocol !== 'https:' || url.username === '' || url.password === '')
    throw unfit('an access URL is `https://USER:PASSWORD@HOST/PATH`');
  const [own] = destinationsOf(kind, settings);
  if (parseDestination(url.origin).origin !== own?.origin) throw unfit('it is of another origin');
}

function unfit(why: string): SublError {
  return new SublError('usage', `this cannot be the secret of the account: ${why}`);
}
