/**
 * Reads standard base64 with its padding; undefined for any other spelling of the bytes, or for other bytes.
 */
export function readBase64(text: string, length?: number): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (length !== undefined && bytes.length !== length) return undefined;
  return bytes.toString('base64') === text ? bytes : undefined;
}
