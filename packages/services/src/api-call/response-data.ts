import type { JsonObject, JsonValue } from '@subluminal/core-types';
import type { HttpResponse } from '@subluminal/egress';

/**
 * The answer as data: `status`, `headers` (lower case; `set-cookie` is a list, other repeated fields are
 * joined as RFC 9110 §5.3 does), `bytes` (of the body), `body` and `body_encoding`. The body is text (`utf8`)
 * if the server says that it is and it is valid UTF-8, else `base64`; nothing is ever cut. Its JSON text has
 * at most 4/3 · `maxBytes` bytes and a few in either encoding, so that it fits a frame.
 */
export function responseData(response: HttpResponse, maxBytes: number): JsonObject {
  const text = isText(response) ? asText(response.body, maxBytes) : undefined;
  return {
    status: response.status,
    headers: headerData(response.headers),
    bytes: response.body.byteLength,
    body: text ?? Buffer.from(response.body).toString('base64'),
    body_encoding: text === undefined ? 'base64' : 'utf8',
  };
}

function headerData(headers: HttpResponse['headers']): JsonObject {
  const entries = [...headers].map(([name, values]): [string, JsonValue] => [
    name,
    name === 'set-cookie' ? values : values.join(', '),
  ]);
  return Object.fromEntries(entries);
}

const TEXTUAL =
  /^(?:text\/|application\/(?:json|xml|javascript|x-www-form-urlencoded|x-ndjson|yaml)$|.*\+(?:json|xml)$)/;
const UTF8_NAMES: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii']);

/** Without a content type the bytes decide alone; with a content coding they are not the text. */
function isText(response: HttpResponse): boolean {
  const coding = response.headers.get('content-encoding')?.join(',').trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity' && coding !== '') return false;
  const [type = '', ...parameters] = (response.headers.get('content-type')?.[0] ?? '')
    .toLowerCase()
    .split(';');
  if (type.trim() !== '' && !TEXTUAL.test(type.trim())) return false;
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  return charset === undefined || UTF8_NAMES.has(charset.slice('charset='.length).replaceAll('"', ''));
}

function asText(body: Uint8Array, maxBytes: number): string | undefined {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
  const small = body.byteLength * 6 <= maxBytes;
  return small || Buffer.byteLength(JSON.stringify(text)) <= (maxBytes * 4) / 3 ? text : undefined;
}
