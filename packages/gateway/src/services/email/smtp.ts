import { isSublError, SublError } from '@subluminal/core-types';
import type { MailSession } from './session.js';

/** Lines of one reply. */
const MAX_REPLY_LINES = 128;

interface Reply {
  readonly code: number;
  readonly lines: readonly string[];
}

/** A message and whom it goes to. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
  /** Lines end in CRLF. */
  readonly message: Buffer;
}

/** Who signs in, and how the connection is secured: from its first byte, or by STARTTLS, which then is required. */
export interface SignIn {
  readonly user: string;
  readonly password: string;
  readonly security: 'tls' | 'starttls';
}

/**
 * Greets, secures and signs in. Nothing of the account is said before the connection is secure.
 *
 * @throws SublError `credential_refused`, `adapter_failed`, `response_too_large`.
 */
export async function signInSmtp(session: MailSession, { user, password, security }: SignIn): Promise<Reply> {
  const { wire } = session;
  expect(session, await read(session), 220, 'did not greet');
  let offered = await hello(session);
  if (security === 'starttls') {
    if (!offers(offered, 'STARTTLS')) throw notSecure(session);
    const consent = await ask(session, 'STARTTLS');
    if (consent.code !== 220) throw notSecure(session);
    await session.upgrade();
    offered = await hello(session);
  }
  const methods =
    offered.lines
      .find((line) => /^AUTH[ =]/i.test(line))
      ?.toUpperCase()
      .split(/[ =]/) ?? [];
  let answer: Reply;
  if (methods.includes('PLAIN'))
    answer = await ask(session, `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`);
  else if (methods.includes('LOGIN')) {
    expect(session, await ask(session, 'AUTH LOGIN'), 334, 'did not let sign in');
    expect(session, await ask(session, base64(user)), 334, 'did not let sign in');
    answer = await ask(session, base64(password));
  } else throw wire.strange('offers no way to sign in that is known here (PLAIN, LOGIN)');
  if (answer.code === 235) return offered;
  if (answer.code >= 500) {
    throw new SublError(
      'credential_refused',
      `\`${session.destination.origin}\` refused the user name or the password (${answer.code})`,
    );
  }
  throw wire.strange(`did not let sign in (${answer.code})`);
}

/**
 * Hands a message over. From its last byte on an answer that does not come is `in_doubt`: whether it was taken is not known.
 * A recipient who is refused refuses the whole.
 *
 * @throws SublError `adapter_failed`, `in_doubt`.
 */
export async function sendSmtp(session: MailSession, offered: Reply, envelope: Envelope): Promise<void> {
  const { from, to, message } = envelope;
  const size = offers(offered, 'SIZE') ? ` SIZE=${message.length}` : '';
  expect(session, await ask(session, `MAIL FROM:<${from}>${size}`), 250, 'refused the sender');
  for (const recipient of to) {
    const { code } = await ask(session, `RCPT TO:<${recipient}>`);
    if (code !== 250 && code !== 251)
      throw session.wire.strange(`refused the recipient \`${recipient}\` (${code}), so nothing was sent`);
  }
  expect(session, await ask(session, 'DATA'), 354, 'did not take the message');
  await session.wire.write(stuffed(message));
  let answer: Reply;
  try {
    await session.wire.write('.\r\n');
    answer = await read(session);
  } catch (error) {
    throw inDoubt(session, error);
  }
  if (answer.code >= 400 && answer.code < 600)
    throw session.wire.strange(`refused the message (${answer.code})`);
  if (answer.code !== 250) throw inDoubt(session, undefined);
}

/** Takes leave without waiting for an answer. */
export function quitSmtp({ wire }: MailSession): void {
  wire.socket.end('QUIT\r\n');
}

function inDoubt({ destination, deadline }: MailSession, cause: unknown): SublError {
  const why = deadline.reason() ?? (isSublError(cause) ? cause : undefined);
  return new SublError(
    'in_doubt',
    `the message was handed to \`${destination.origin}\`, which did not say that it took it${why === undefined ? '' : ` (${why.code})`}`,
    { cause },
  );
}

async function hello(session: MailSession): Promise<Reply> {
  const answer = await ask(session, 'EHLO [127.0.0.1]');
  expect(session, answer, 250, 'did not answer EHLO');
  return answer;
}

async function ask(session: MailSession, line: string): Promise<Reply> {
  await session.wire.write(`${line}\r\n`);
  return read(session);
}

async function read({ wire }: MailSession): Promise<Reply> {
  const lines: string[] = [];
  for (;;) {
    const line = (await wire.line()).toString('latin1');
    const match = /^([2-5][0-9]{2})(?:([ -])(.*))?$/.exec(line);
    if (match === null || lines.length >= MAX_REPLY_LINES) throw wire.strange('does not speak SMTP');
    lines.push(match[3] ?? '');
    if (match[2] !== '-') return { code: Number(match[1]), lines };
  }
}

function expect({ wire }: MailSession, { code }: Reply, wanted: number, what: string): void {
  if (code !== wanted) throw wire.strange(`${what} (${code})`);
}

function offers({ lines }: Reply, name: string): boolean {
  return lines.some((line) => line.split(' ')[0]?.toUpperCase() === name);
}

function notSecure({ wire }: MailSession): SublError {
  return wire.strange('does not offer a secure connection (STARTTLS), so nothing was said to it');
}

/** RFC 5321 §4.5.2: a line that begins with a dot gets another one. Ends with a line end. */
function stuffed(message: Buffer): Buffer {
  const text = message.toString('latin1').replaceAll(/^\./gm, '..');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
