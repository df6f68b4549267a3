import type { MailSession } from './session.js';

/** How this gateway calls itself: it has no name that a server could look up. */
export const CLIENT_NAME = '[127.0.0.1]';

/** Lines of one reply. */
const MAX_REPLY_LINES = 128;

interface Reply {
  readonly code: number;
  readonly lines: readonly string[];
}

/**
 * Greets and secures a connection that began in plain text (STARTTLS), which is where nothing of the account was said yet. Read
 * by our own hand, so that TLS is made by `egress/` as everywhere, and so that whatever stands behind the consent ends the conversation.
 *
 * @throws SublError `adapter_failed`, `response_too_large`, `timed_out`.
 */
export async function startTls(session: MailSession): Promise<void> {
  const { wire } = session;
  const greeting = await read(session);
  if (greeting.code !== 220) throw wire.strange(`did not greet (${greeting.code})`);
  const offered = await ask(session, `EHLO ${CLIENT_NAME}`);
  if (offered.code !== 250) throw wire.strange(`did not answer EHLO (${offered.code})`);
  const isOffered = offered.lines.some((line) => line.split(' ')[0]?.toUpperCase() === 'STARTTLS');
  if (!isOffered || (await ask(session, 'STARTTLS')).code !== 220)
    throw wire.strange('does not offer a secure connection (STARTTLS), so nothing was said to it');
  await session.upgrade();
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
