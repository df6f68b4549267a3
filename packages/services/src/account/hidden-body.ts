import { nextTurn, exactMask, type HiddenValue } from '@subluminal/core-types';
import type { HttpResponse } from '@subluminal/egress';

/**
 * An answer without the credential that its request had. It looks byte for byte, so that it finds the
 * credential in binary data as well. Undefined for an encoded body, which cannot be looked through.
 */
export async function hiddenBody(
  response: HttpResponse,
  values: readonly HiddenValue[],
): Promise<HttpResponse | undefined> {
  const codings = (name: string): string => response.headers.get(name)?.join(',').trim().toLowerCase() ?? '';
  if (!['', 'identity'].includes(codings('content-encoding'))) return undefined;
  if (!['', 'chunked'].includes(codings('transfer-encoding'))) return undefined;
  const bytes = Buffer.from(response.body.buffer, response.body.byteOffset, response.body.byteLength);
  // In latin1 every byte is one character, and comes back as it was.
  const asBytes = values.map(({ name, value }) => ({
    name,
    value: Buffer.from(value, 'utf8').toString('latin1'),
  }));
  const text = bytes.toString('latin1');
  const shown = exactMask(asBytes, { cut: false })?.(text) ?? text;
  // Reading a large body has a turn of the event loop to itself, as this has.
  await nextTurn();
  return shown === text ? response : { ...response, body: Buffer.from(shown, 'latin1') };
}
