import { type AccountKind, SublError } from '@subluminal/core-types';
import type { Call } from '../../program/call.js';
import { parseDestination } from '../allow/destination.js';

/** Ports on which a connection begins in plain text. */
const STARTTLS_PORTS = { imap: [143], smtp: [25, 587] } as const;
const DEFAULT_PORT = { imap: 993, smtp: 465 } as const;

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

/** The settings that the flags give, not checked yet: what is absent is left out. Throws `usage` for a flag of another kind. */
export function settingsOf(call: Call, kind: AccountKind): Readonly<Record<string, unknown>> {
  const given = GIVEN[kind](call);
  for (const flag of FLAGS) {
    if (OWN[kind].includes(flag) || (call.text(flag) === undefined && call.texts(flag).length === 0))
      continue;
    throw new SublError('usage', `an account of the kind \`${kind}\` has no \`--${dashed(flag)}\``, {
      help: 'see `sub help account add`',
    });
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

const OWN: Readonly<Record<AccountKind, readonly string[]>> = {
  email: ['address', 'user', 'imap', 'smtp', 'imapSecurity', 'smtpSecurity', 'fromName'],
  calendar: ['url', 'user'],
  finance: ['origin'],
  health: ['url', 'patient'],
  api: ['origin', 'prefix', 'method', 'header', 'scheme'],
};
const FLAGS = [...new Set(Object.values(OWN).flat())];

const GIVEN: Readonly<Record<AccountKind, (call: Call) => Readonly<Record<string, unknown>>>> = {
  email: (call) => ({
    address: call.text('address'),
    user: call.text('user') ?? call.text('address'),
    imap: server(call, 'imap'),
    smtp: server(call, 'smtp'),
    name: call.text('fromName'),
  }),
  calendar: (call) => ({ url: call.text('url'), user: call.text('user') }),
  finance: (call) => ({ origin: call.text('origin') }),
  health: (call) => ({ base: call.text('url'), patient: call.text('patient') }),
  api: (call) => ({
    origin: call.text('origin'),
    prefix: call.text('prefix'),
    methods:
      call.texts('method').length === 0 ? undefined : call.texts('method').map((one) => one.toUpperCase()),
    header: call.text('header'),
    scheme: call.text('scheme'),
  }),
};

function server(call: Call, part: 'imap' | 'smtp'): Readonly<Record<string, unknown>> | undefined {
  const text = call.text(part);
  if (text === undefined) return undefined;
  const { host, port = DEFAULT_PORT[part] } = parseDestination(text);
  const starts: readonly number[] = STARTTLS_PORTS[part];
  const security = call.text(`${part}Security`) ?? (starts.includes(port) ? 'starttls' : 'tls');
  return { host, port, security };
}

function dashed(flag: string): string {
  return flag.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
