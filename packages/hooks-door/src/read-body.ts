import type { IncomingMessage } from 'node:http';
import { isJsonObject, isSublError, type JsonObject, parseJson } from '@subluminal/core-types';
import { HookRefusal } from './ask.js';

/** The largest event that is read, in bytes. */
const MAX_BODY = 4_194_304;
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
    event = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (!isSublError(error) && !(error instanceof TypeError)) throw error;
    throw new HookRefusal(400, 'the event is no JSON that has one meaning');
  }
  if (!isJsonObject(event)) throw new HookRefusal(400, 'the event is no JSON object');
  return { event, bytes: bytes.length };
}

function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const late = setTimeout(() => fail(new HookRefusal(408, 'the event took too long')), BODY_MS);
    const fail = (error: Error): void => {
      clearTimeout(late);
      request.pause();
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY) fail(new HookRefusal(413, `an event has ${MAX_BODY} bytes at most`));
      else chunks.push(chunk);
    });
    request.once('end', () => {
      clearTimeout(late);
      resolve(Buffer.concat(chunks));
    });
    request.once('close', () => fail(new HookRefusal(400, 'the event ended before it was whole')));
    request.once('error', fail);
  });
}
