import { type AccountKind, SublError } from '@subluminal/core-types';
import { dashed, string, strings, type Values } from '../../program/flags.js';
import { parseDestination } from '../allow/destination.js';

/** Ports on which a connection begins in plain text. */
const STARTTLS_PORTS = { imap: [143], smtp: [25, 587] } as const;
const DEFAULT_PORT = { imap: 993, smtp: 465 } as const;

/** The flags that give the settings of an account. */
export const SETTINGS = {
  address: string('<address>', 'email: the address that is sent from'),
  user: string('<name>', 'email, calendar: the user name (email: default the address)'),
  imap: string('<host[:port]>', 'email: the server to read from (default port 993)'),
  smtp: string('<host[:port]>', 'email: the server to send by (default port 465)'),
  imapSecurity: string('<how>', 'tls or starttls (default: tls, on port 143 starttls)'),
  smtpSecurity: string('<how>', 'tls or starttls (default: tls, on ports 25 and 587 starttls)'),
  fromName: string('<text>', 'email: the name beside the address'),
  url: string('<url>', 'calendar, health: the server, and the path to begin at'),
  patient: string('<id>', 'health: whose records are meant'),
  origin: string(
    '<url>',
    'finance, api: `https://HOST` that the secret is sent to (finance: default its own)',
  ),
  prefix: string('<path>', 'api: only paths below it (default /)'),
  method: strings('<name>', 'api: only this method; may be repeated'),
  header: string('<name>', 'api: the header that the secret is sent in (default authorization)'),
  scheme: string('<how>', 'api: bearer, basic or raw (default bearer)'),
};

type Given = Values<typeof SETTINGS>;

/** Under which flag each setting is given. */
export const SETTING_FLAGS: ReadonlyMap<string, string> = new Map([
  ['address', '--address'],
  ['user', '--user'],
  ['imap', '--imap'],
  ['smtp', '--smtp'],
  ['imap-security', '--imap-security'],
  ['smtp-security', '--smtp-security'],
  ['url', '--url'],
  ['base', '--url'],
  ['patient', '--patient'],
  ['origin', '--origin'],
  ['prefix', '--prefix'],
  ['methods', '--method'],
  ['header', '--header'],
  ['scheme', '--scheme'],
]);

/**
 * The settings that the flags give, not checked yet. Absent ones are left out. Throws `usage` for a flag of
 * another kind.
 */
export function settingsOf(
  { flags }: { readonly flags: Given },
  kind: AccountKind,
): Readonly<Record<string, unknown>> {
  for (const flag of Object.keys(SETTINGS) as (keyof Given)[]) {
    const value = flags[flag];
    const isGiven = typeof value === 'string' || (value ?? []).length > 0;
    if (OWN[kind].includes(flag) || !isGiven) continue;
    throw new SublError('usage', `an account of the kind \`${kind}\` has no \`${dashed(flag)}\``, {
      help: 'see `sub help account add`',
    });
  }
  return Object.fromEntries(Object.entries(GIVEN[kind](flags)).filter(([, value]) => value !== undefined));
}

const OWN: Readonly<Record<AccountKind, readonly (keyof Given)[]>> = {
  email: ['address', 'user', 'imap', 'smtp', 'imapSecurity', 'smtpSecurity', 'fromName'],
  calendar: ['url', 'user'],
  finance: ['origin'],
  health: ['url', 'patient'],
  api: ['origin', 'prefix', 'method', 'header', 'scheme'],
};

const GIVEN: Readonly<Record<AccountKind, (flags: Given) => Readonly<Record<string, unknown>>>> = {
  email: ({ address, user, imap, smtp, imapSecurity, smtpSecurity, fromName }) => ({
    address,
    user: user ?? address,
    imap: server('imap', imap, imapSecurity),
    smtp: server('smtp', smtp, smtpSecurity),
    name: fromName,
  }),
  calendar: ({ url, user }) => ({ url, user }),
  finance: ({ origin }) => ({ origin }),
  health: ({ url, patient }) => ({ base: url, patient }),
  api: ({ origin, prefix, method, header, scheme }) => ({
    origin,
    prefix,
    methods: method.length === 0 ? undefined : method.map((one) => one.toUpperCase()),
    header,
    scheme,
  }),
};

function server(
  part: 'imap' | 'smtp',
  written: string | undefined,
  security: string | undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (written === undefined) return undefined;
  const { host, port = DEFAULT_PORT[part] } = parseDestination(written);
  const starts: readonly number[] = STARTTLS_PORTS[part];
  return { host, port, security: security ?? (starts.includes(port) ? 'starttls' : 'tls') };
}
