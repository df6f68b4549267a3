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
    if (host !== undefined) found.add(host);
    if (found.size > MOST_HOSTS) break;
  }
  return [...found];
}

function hostOf(text: string): string | undefined {
  const bracketed = /^\[([^\]]+)\]/.exec(text)?.[1];
  const reading = readHost(bracketed ?? text.replace(/:.*$/s, ''));
  return reading.ok ? reading.host : undefined;
}
