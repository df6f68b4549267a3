/**
 * Whether an address fits a pattern in which `*` stands for any text. Time is linear in both; case does not
 * count.
 */
export function matchesUrl(pattern: string, url: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const text = url.toLowerCase();
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
