import { nextTurn, type JsonObject, type JsonValue } from '@subluminal/core-types';
import PostalMime, { type Address, type Email } from 'postal-mime';
import { htmlText } from './html-text.js';
import type { ImapMessage } from './imap.js';

/** Characters of a message's text, of a header, and entries of a list of it. */
const MAX_TEXT = 32_768;
const MAX_HEADER = 1000;
const MAX_LISTED = 100;
/** Parsed lines of a message: each costs ten microseconds, and anybody can send a quarter of a million. */
const MAX_LINES = 10_000;
const LINE_FEED = 10;
/** Characters of a page that are searched for text. */
const MAX_HTML = 262_144;

const BOUNDS = { maxNestingDepth: 32, maxHeadersSize: 131_072, maxRfc822NestingDepth: 2 };

/**
 * A message as `email.fetch` answers it. A message that cannot be parsed is still listed, with the facts that
 * the server gave. The event loop turns between two messages.
 */
export async function messageData(message: ImapMessage): Promise<JsonObject> {
  await nextTurn();
  const { uid, flags, receivedMs, size } = message;
  const source = firstLines(message.source);
  const parsed = await parse(source);
  const sent = parsed?.date === undefined ? Number.NaN : Date.parse(parsed.date);
  const date = Number.isNaN(sent) ? receivedMs : sent;
  const text = textOf(parsed);
  const known: Record<string, JsonValue> = {
    uid,
    messageId: parsed?.messageId === undefined ? null : header(parsed.messageId),
    from: addresses(parsed?.from === undefined ? [] : [parsed.from])[0] ?? null,
    to: addresses(parsed?.to ?? []),
    cc: addresses(parsed?.cc ?? []),
    subject: header(parsed?.subject ?? ''),
    date: date === undefined ? null : dateText(date),
    flags: flags.map(header),
    text: shown(text, MAX_TEXT),
    attachments: (parsed?.attachments ?? []).slice(0, MAX_LISTED).map(({ filename, mimeType, content }) => ({
      name: filename === null ? null : header(filename),
      type: header(mimeType),
      size: typeof content === 'string' ? content.length : content.byteLength,
    })),
    size,
  };
  if (parsed === undefined || text.length > MAX_TEXT || source.length < size) known['truncated'] = true;
  return known;
}

async function parse(source: Buffer): Promise<Email | undefined> {
  try {
    return await PostalMime.parse(source, BOUNDS);
  } catch {
    return undefined;
  }
}

function firstLines(source: Buffer): Buffer {
  let end = -1;
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    end = source.indexOf(LINE_FEED, end + 1);
    if (end < 0) return source;
  }
  return source.subarray(0, end + 1);
}

function textOf(parsed: Email | undefined): string {
  if (parsed?.text !== undefined && parsed.text.trim() !== '') return parsed.text;
  return parsed?.html === undefined ? '' : htmlText(parsed.html.slice(0, MAX_HTML));
}

function addresses(given: readonly Address[]): JsonObject[] {
  return given
    .flatMap((one) => one.group ?? [one])
    .slice(0, MAX_LISTED)
    .map(({ name, address }) => ({ name: header(name), address: header(address) }));
}

function header(text: string): string {
  return shown(text, MAX_HEADER);
}

/** Well-formed, and no longer than it may be. */
function shown(text: string, max: number): string {
  return Buffer.from(text.slice(0, max), 'utf8').toString('utf8');
}

function dateText(ms: number): string | null {
  return Math.abs(ms) < 8.64e15 ? new Date(ms).toISOString() : null;
}
