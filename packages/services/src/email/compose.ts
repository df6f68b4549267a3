import { sha256Hex, type EmailSendPayload } from '@subluminal/core-types';
import type { Account } from '../accounts/account.js';

export interface ComposeParts {
  readonly account: Account<'email'>;
  /** The run and the request make the `Message-ID`, so that a repeat can be told. */
  readonly runId: string | null;
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface Composed {
  readonly messageId: string;
  readonly message: Buffer;
}

/** Longer subjects are written in encoded words, which can be folded anywhere. */
const MAX_PLAIN = 60;

/**
 * A message of plain text, the same bytes for the same parts. It has no recipient but those of `to` and `cc`:
 * addresses are handed over as such and never parsed out of a text. Nothing is read from files or the
 * network.
 */
export async function composeMessage(payload: EmailSendPayload, parts: ComposeParts): Promise<Composed> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { encodeWord } = await import('nodemailer/lib/mime-funcs');
  const { address, name = '' } = parts.account.settings;
  const id = sha256Hex(`${parts.runId ?? 'operator'}:${parts.requestId}`).slice(0, 40);
  const messageId = `<sub.${id}@${address.slice(address.lastIndexOf('@') + 1)}>`;
  const { to, cc = [], subject, body, replyToMessageId: answered } = payload;
  const composer = new MailComposer({
    from: { name, address },
    to: mailboxes(to),
    cc: mailboxes(cc),
    // A text like an encoded word would be passed through, and shown as another text than was decided on.
    subject: subject.includes('=?') || subject.length > MAX_PLAIN ? encodeWord(subject, 'B', 52) : subject,
    date: new Date(parts.now),
    messageId,
    ...(answered === undefined ? {} : { inReplyTo: answered, references: answered }),
    // No server folds or recodes base64. The content is bytes, since nodemailer fails on an empty text.
    text: {
      content: Buffer.from(body.replaceAll(/\r\n|\r|\n/g, '\r\n'), 'utf8'),
      contentTransferEncoding: 'base64',
    },
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return { messageId, message: await composer.compile().build() };
}

function mailboxes(addresses: readonly string[]): { readonly name: string; readonly address: string }[] {
  return addresses.map((address) => ({ name: '', address }));
}
