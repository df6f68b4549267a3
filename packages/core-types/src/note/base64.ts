/** Reads `length` bytes in standard base64 with its padding; undefined for any other text. */
export function readBase64(text: string, length: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== length) return undefined;
  return bytes.toString('base64') === text ? bytes : undefined;
}
