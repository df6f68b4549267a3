/** The longest setup token that is read. */
export const MAX_SETUP_TOKEN = 4096;

/**
 * The claim URL in a setup token of SimpleFIN: a URL in base64, on one line or on several. Undefined for
 * anything else. Whether it may be asked is not looked at.
 */
export function setupTokenUrl(text: string): string | undefined {
  const packed = text.replaceAll(/\s+/g, '');
  if (packed.length > MAX_SETUP_TOKEN || !/^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(packed)) return undefined;
  let url: string;
  try {
    url = atob(packed.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
  return /^https?:\/\/[!-~]+$/i.test(url) ? url : undefined;
}
