import { sha256Hex, type EmailSendPayload } from '@subluminal/core-types';
import type { Account } from '../../accounts/account.js';

/** What a message is made of, besides what was asked for. */
export interface ComposeParts {
  readonly account: Account<'email'>;
  /** Whose request it is: with its id it makes the `Message-ID`, so that a repeat can be told. */
  readonly runId: string | null;
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** A message in bytes, and how it is called. */
export interface Composed {
  readonly messageId: string;
  readonly message: Buffer;
}

/** Longer ones are written in encoded words, which are folded. */
const MAX_PLAIN = 60;
/** Bytes of text in one encoded word: 75 characters at most (RFC 2047 §2). */
const WORD_BYTES = 45;

/** A message of plain text. No recipient stands in it that was not given as `to` or `cc`. */
export function composeMessage(payload: EmailSendPayload, parts: ComposeParts): Composed {
  const { address, name } = parts.account.settings;
  const id = sha256Hex(`${parts.runId ?? 'operator'}:${parts.requestId}`).slice(0, 40);
  const messageId = `<sub.${id}@${address.slice(address.lastIndexOf('@') + 1)}>`;
  const { to, cc = [], subject, body, replyToMessageId: answered } = payload;
  const headers: readonly (readonly [string, string])[] = [
    ['From', name === undefined ? address : `${phrase(name)} <${address}>`],
    ['To', to.join(',\r\n ')],
    ...(cc.length === 0 ? [] : [['Cc', cc.join(',\r\n ')] as const]),
    ['Subject', words(subject)],
    ['Date', dateText(parts.now)],
    ['Message-ID', messageId],
    ...(answered === undefined
      ? []
      : ([
          ['In-Reply-To', answered],
          ['References', answered],
        ] as const)),
    ['MIME-Version', '1.0'],
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Content-Transfer-Encoding', 'base64'],
  ];
  const head = headers.map(([key, value]) => `${key}: ${value}\r\n`).join('');
  const text = Buffer.from(body.replaceAll(/\r\n|\r|\n/g, '\r\n'), 'utf8').toString('base64');
  const lines = (text.match(/.{1,76}/g) ?? []).map((line) => `${line}\r\n`).join('');
  return { messageId, message: Buffer.from(`${head}\r\n${lines}`, 'ascii') };
}

/** RFC 5322 §3.3, in UTC. */
function dateText(now: number): string {
  return new Date(now).toUTCString().replace('GMT', '+0000');
}

/** The name beside an address. */
function phrase(name: string): string {
  if (!isPlain(name)) return words(name);
  return `"${name.replaceAll(/["\\]/g, (one) => `\\${one}`)}"`;
}

function words(text: string): string {
  if (isPlain(text)) return text;
  const pieces: string[] = [];
  let piece = '';
  for (const character of wellFormed(text)) {
    if (Buffer.byteLength(piece + character) > WORD_BYTES) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  pieces.push(piece);
  return pieces.map((one) => `=?UTF-8?B?${Buffer.from(one, 'utf8').toString('base64')}?=`).join('\r\n ');
}

function isPlain(text: string): boolean {
  return text.length <= MAX_PLAIN && /^[ -~]*$/.test(text) && !text.includes('=?');
}

/** Half a character becomes the sign for what cannot be shown. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
