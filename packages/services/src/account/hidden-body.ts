import { exactMask, type HiddenValue } from '@subluminal/core-types';
import type { HttpResponse } from '@subluminal/egress';

/**
 * An answer without the credential that its request had, whatever its body is: byte for byte, so that it is found in what is no
 * text as well. A body that is encoded cannot be looked through, and is left out:
 * undefined.
 */
export function hiddenBody(response: HttpResponse, values: readonly HiddenValue[]): HttpResponse | undefined {
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
  return shown === text ? response : { ...response, body: Buffer.from(shown, 'latin1') };
}
