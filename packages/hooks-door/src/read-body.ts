import type { IncomingMessage } from 'node:http';
import {
  nextTurn,
  hasMoreParts,
  isJsonObject,
  isSublError,
  type JsonObject,
  parseJsonInTurns,
} from '@subluminal/core-types';
import { HookRefusal } from './ask.js';

/** The largest event that is read, in bytes. */
const MAX_BODY = 4_194_304;
/** Its values and keys: more would hold up everybody else while they are read. */
const MAX_PARTS = 131_072;
/** A larger body is judged in another turn than the one that reads it. */
const MAX_IN_TURN = 262_144;
/** How long a body may take. */
const BODY_MS = 5000;

/** An event as it came. */
export interface HookBody {
  readonly event: JsonObject;
  readonly bytes: number;
}

/** Reads the body of a request to its end. @throws HookRefusal */
export async function readBody(request: IncomingMessage): Promise<HookBody> {
  const bytes = await bytesOf(request);
  let event;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (hasMoreParts(text, MAX_PARTS)) throw new HookRefusal(413, `an event has ${MAX_PARTS} parts at most`);
    event = await parseJsonInTurns(text);
  } catch (error) {
    if (!isSublError(error) && !(error instanceof TypeError)) throw error;
    throw new HookRefusal(400, 'the event is no JSON that has one meaning');
  }
  if (!isJsonObject(event)) throw new HookRefusal(400, 'the event is no JSON object');
  if (bytes.length > MAX_IN_TURN) await nextTurn();
  return { event, bytes: bytes.length };
}

function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > MAX_BODY) fail(413, `an event has ${MAX_BODY} bytes at most`);
      else chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onBroken = (): void => fail(400, 'the event ended before it was whole');
    const late = setTimeout(() => fail(408, 'the event took too long'), BODY_MS);
    const stop = (): void => {
      clearTimeout(late);
      request.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
      request.on('error', () => undefined);
    };
    const fail = (status: number, why: string): void => {
      stop();
      // The next event comes over the same connection, behind the rest of this one.
      request.resume();
      const cut = setTimeout(() => request.destroy(), BODY_MS);
      request.once('close', () => clearTimeout(cut));
      reject(new HookRefusal(status, why));
    };
    request.on('data', onData).once('end', onEnd).once('close', onBroken).once('error', onBroken);
  });
}
