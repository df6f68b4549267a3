/**
 * LP(x) of the handshake: the length of x in UTF-8 as four big-endian bytes, then x. Joined fields stay
 * apart, so no two lists of fields give the same bytes.
 */
export function lengthPrefixed(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(4 + length);
  bytes.writeUInt32BE(length, 0);
  bytes.write(text, 4, 'utf8');
  return bytes;
}
