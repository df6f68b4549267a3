import { isSublError, SublError, type EmailSendPayload, type MailServer } from '@subluminal/core-types';
import type { Account } from '../accounts/account.js';
import { mailDestination } from '../accounts/destinations.js';
import type { ServiceCall } from '../action/service-adapter.js';
import { Wire } from './wire.js';
import {
  type CheckedDestination,
  type Deadline,
  type Destination,
  type Dialer,
  startDeadline,
} from '@subluminal/egress';

/** Opens and secures connections. */
export type MailDialer = Pick<Dialer, 'connect' | 'secure'>;

/**
 * A user name and password, and how the connection is secured: from its first byte, or by STARTTLS, which
 * then is required.
 */
export interface SignIn {
  readonly user: string;
  readonly password: string;
  readonly security: MailServer['security'];
}

/** One conversation with a mail server, with one deadline for all of it. */
export interface MailSession {
  readonly wire: Wire;
  readonly destination: CheckedDestination;
  readonly deadline: Deadline;
  /** Secures the connection after the server agreed. */
  readonly upgrade: () => Promise<void>;
}

/** The server of an account for one protocol. Throws `invalid_request` where the account has none. */
export function serverOf(account: Account<'email'>, part: 'imap' | 'smtp'): MailServer {
  const server = account.settings[part];
  if (server !== undefined) return server;
  throw new SublError(
    'invalid_request',
    `the account \`${account.name}\` has no ${part.toUpperCase()} server`,
  );
}

/** The place that an action of an account goes to. */
export function partDestination(account: Account<'email'>, part: 'imap' | 'smtp'): Destination {
  return mailDestination(part, serverOf(account, part));
}

/**
 * Connects and does the work, which may take no longer than the call in all. Whatever happens, the connection
 * is closed after. Throws what the work throws, or `timed_out`, or what the caller gave up with; `in_doubt`
 * is none of these.
 */
export async function withMailServer<T>(
  dialer: MailDialer,
  destination: CheckedDestination,
  call: Pick<ServiceCall, 'limits' | 'signal'>,
  work: (session: MailSession) => Promise<T>,
): Promise<T> {
  const { timeoutMs, maxResponseBytes } = call.limits;
  const tooSlow = (): SublError =>
    new SublError('timed_out', `\`${destination.origin}\` did not answer completely within ${timeoutMs} ms`);
  const deadline = startDeadline(timeoutMs, call.signal, tooSlow);
  let wire: Wire | undefined;
  const close = (): void => wire?.close();
  deadline.signal.addEventListener('abort', close, { once: true });
  try {
    const socket = await dialer.connect(destination, timeoutMs, deadline.signal);
    const opened = new Wire(socket, destination.origin, maxResponseBytes);
    wire = opened;
    return await work({
      wire: opened,
      destination,
      deadline,
      upgrade: async () => {
        // Bytes behind the consent came in plain text: anybody on the way may have sent them.
        if (opened.hasMore) throw opened.strange('sent more before its connection was secured');
        opened.continueOn(await dialer.secure(opened.socket, destination, timeoutMs, deadline.signal));
      },
    });
  } catch (error) {
    // A message that may have been taken stays in doubt, however the waiting ended.
    if (isSublError(error) && error.code === 'in_doubt') throw error;
    throw deadline.reason() ?? error;
  } finally {
    deadline.end();
    close();
  }
}

/** The recipients of a message, each once. */
export function recipientsOf({ to, cc = [] }: EmailSendPayload): readonly string[] {
  return [...new Set([...to, ...cc])];
}
