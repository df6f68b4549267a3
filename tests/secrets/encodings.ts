/** The ways in which a secret may stand in a file: as it is, and as programs write bytes and texts. */
export function encodingsOf(secret: string): ReadonlyMap<string, Buffer> {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const each = (write: (character: string) => string): string => Array.from(secret, write).join('');
  const unit = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');
  const texts: readonly (readonly [string, string])[] = [
    ['as it is', secret],
    ['reversed', Array.from(secret).toReversed().join('')],
    ['in hex', hex],
    ['in upper case hex', hex.toUpperCase()],
    ['percent-encoded', each((character) => `%${unit(character).slice(2)}`)],
    ['in escapes of JSON', each((character) => `\\u${unit(character)}`)],
    ...[0, 1, 2].map((shift) => [`in base64 from byte ${shift}`, inBase64(bytes, shift, 'base64')] as const),
    ...[0, 1, 2].map(
      (shift) => [`in base64url from byte ${shift}`, inBase64(bytes, shift, 'base64url')] as const,
    ),
  ];
  const found = new Map(texts.map(([name, text]) => [name, Buffer.from(text)]));
  found.set('in UTF-16', Buffer.from(secret, 'utf16le'));
  return found;
}

/** The characters that a secret alone decides when `shift` bytes stand before it. */
function inBase64(bytes: Buffer, shift: number, form: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString(form)
    .replaceAll('=', '');
  return text.slice(Math.ceil((shift * 8) / 6), Math.floor(((shift + bytes.length) * 8) / 6));
}
