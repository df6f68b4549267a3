import { readHost } from '@subluminal/core-types';

/** As many hosts are read from one text. */
export const MOST_HOSTS = 512;
const AUTHORITY = /(?:^|[a-z][a-z0-9+.-]{0,31}:|["'`(<=\s])\/\/([^\s/?#\\"'`<>()]{1,1024})/gi;

/**
 * The hosts in the URLs of a text, in the form in which destinations are compared: lower case, punycode, no
 * port, no user. A host that cannot be read is left out, as nothing can be reached under it.
 */
export function hostsInText(text: string): readonly string[] {
  if (!text.includes('//')) return [];
  const found = new Set<string>();
  for (const [, authority = ''] of text.matchAll(AUTHORITY)) {
    const host = hostOf(authority.slice(authority.lastIndexOf('@') + 1));
    if (host === undefined) continue;
    found.add(host);
    const inner = innerAddress(host);
    if (inner !== undefined) found.add(inner);
    if (found.size > MOST_HOSTS) break;
  }
  return [...found];
}

function hostOf(text: string): string | undefined {
  const bracketed = /^\[([^\]]+)\]/.exec(text)?.[1];
  const reading = readHost(bracketed ?? text.replace(/:.*$/s, ''));
  return reading.ok ? reading.host : undefined;
}

/** The address of four parts that one of eight stands for: `::ffff:a9fe:a9fe`, `64:ff9b::a9fe:a9fe`. */
function innerAddress(host: string): string | undefined {
  const [, high, low] = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const [one, other] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return `${one >> 8}.${one & 255}.${other >> 8}.${other & 255}`;
}
