import type { EmailFetchPayload, JsonObject, JsonValue } from '@subluminal/core-types';
import { ImapClient } from './imap.js';
import type { MailUse } from './mail-account.js';
import { messageData } from './read-message.js';

/** Bytes that are read of one message, at most and at least. */
const MESSAGE_BYTES = 262_144;
const LEAST_BYTES = 4096;
/** Messages of one command. */
const AT_ONCE = 10;
/** Characters of an answer: it has to fit into a frame. */
const MAX_ANSWER = 4_194_304;

/** `email.fetch`: the newest messages of a folder, as many as the payload asks for and an answer holds. */
export async function fetchMail(
  { folder, limit, since }: EmailFetchPayload,
  { account, session, signIn, call }: MailUse,
): Promise<JsonObject> {
  const client = await ImapClient.signIn(session, signIn);
  const count = await client.examine(folder);
  const from = since === undefined ? undefined : new Date(since);
  const by = from === undefined ? 'place' : 'uid';
  const found =
    from === undefined ? lastPlaces(count, limit) : [...(await client.since(from))].toSorted((a, b) => b - a);
  const messages: JsonValue[] = [];
  let room = Math.min(MAX_ANSWER, call.limits.maxResponseBytes);
  let isWhole = true;
  const share = Math.floor(call.limits.maxResponseBytes / 2 / Math.max(1, Math.min(found.length, limit)));
  const bytes = Math.max(LEAST_BYTES, Math.min(MESSAGE_BYTES, share));
  for (let at = 0; at < found.length && messages.length < limit && isWhole; at += AT_ONCE) {
    const set = found.slice(at, at + AT_ONCE).join(',');
    const some = await client.fetch(by, set, bytes);
    for (const message of [...some].toSorted((a, b) => b.uid - a.uid)) {
      if (from !== undefined && (message.receivedMs ?? 0) < from.getTime()) continue;
      if (messages.length >= limit) break;
      const data = await messageData(message);
      room -= JSON.stringify(data).length;
      isWhole = room >= 0;
      if (!isWhole) break;
      messages.push(data);
    }
  }
  client.leave();
  return { account: account.name, folder, messages, ...(isWhole ? {} : { truncated: true }) };
}

/** The newest places of a folder, newest first. */
function lastPlaces(count: number, limit: number): readonly number[] {
  return Array.from({ length: Math.min(count, limit) }, (_, index) => count - index);
}
