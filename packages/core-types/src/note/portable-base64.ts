/** Twin of `readBase64` for runtimes without Buffer: same answers, as plain bytes. */
export function base64Bytes(text: string, length?: number): Uint8Array | undefined {
  const bytes = decoded(text);
  if (bytes === undefined || (length !== undefined && bytes.length !== length)) return undefined;
  return base64Text(bytes) === text ? bytes : undefined;
}

/** Standard base64 of bytes, with its padding. */
export function base64Text(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function decoded(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
  } catch {
    // It is no base64 at all.
    return undefined;
  }
}
