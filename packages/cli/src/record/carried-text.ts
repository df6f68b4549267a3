import type { ConnectionRecord } from '@subluminal/records';
import { byteCount } from '../output/time.js';

/** The bytes of a connection, whether it was listed, and its secrets, for a line. */
export function carriedText({ bytesUp, bytesDown, isListed, isPrivate, injects }: ConnectionRecord): string {
  const parts = [
    bytesUp === undefined || bytesDown === undefined
      ? ''
      : `${byteCount(bytesUp)} up, ${byteCount(bytesDown)} down`,
    isListed ? '' : isPrivate ? 'unlisted, private address' : 'unlisted',
    ...injects.map(({ variable, requests }) =>
      requests === undefined ? `may get ${variable}` : `${variable} put in ${requests}x`,
    ),
  ];
  return parts.filter((part) => part !== '').join('  ');
}
