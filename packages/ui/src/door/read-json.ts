import type { IncomingMessage } from 'node:http';
import { isJsonObject, isSublError, parseJson, type JsonObject } from '@subluminal/core-types';
import { UiRefusal } from './refusal.js';

/** The longest body, and how long it may take to come. */
const MAX_BYTES = 65_536;
const BODY_MS = 10_000;

/** Reads a body of JSON. @throws UiRefusal `too_large`, `bad_request`. */
export async function readJson(request: IncomingMessage): Promise<JsonObject> {
  const type = request.headers['content-type'] ?? '';
  if (type !== 'application/json' || request.headers['content-encoding'] !== undefined)
    throw new UiRefusal(415, 'bad_request', 'a body is `application/json`, and not coded');
  const text = (await bytesOf(request)).toString('utf8');
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    if (!isSublError(error)) throw error;
  }
  throw new UiRefusal(400, 'bad_request', 'the body is no JSON object');
}

function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const fail = (error: UiRefusal): void => {
      clearTimeout(timer);
      request.removeAllListeners('data');
      request.pause();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new UiRefusal(408, 'bad_request', 'the body did not come in time')),
      BODY_MS,
    );
    request.on('data', (part: Buffer) => {
      length += part.length;
      if (length > MAX_BYTES) fail(new UiRefusal(413, 'too_large', `a body has at most ${MAX_BYTES} bytes`));
      else parts.push(part);
    });
    request.once('end', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(parts));
    });
    request.once('error', () => fail(new UiRefusal(400, 'bad_request', 'the body did not come whole')));
    request.once('close', () => fail(new UiRefusal(400, 'bad_request', 'the body did not come whole')));
  });
}
