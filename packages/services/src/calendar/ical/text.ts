import { startOf } from '@subluminal/core-types';

/** A text value (https://www.rfc-editor.org/rfc/rfc5545#section-3.3.11) without its escapes. */
export function readText(value: string, max = 8192): string {
  const text = value.slice(0, 2 * max).replaceAll(/\\([\\;,nN])/g, (_whole, letter: string) => {
    return letter === 'n' || letter === 'N' ? '\n' : letter;
  });
  return startOf(text, max);
}

/** A text as a value: nothing in it can end the line or begin another value. */
export function writeText(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .replaceAll(/[\\;,]/g, (special) => `\\${special}`)
    .replaceAll('\n', '\\n');
}
