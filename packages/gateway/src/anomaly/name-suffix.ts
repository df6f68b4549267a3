/** Second levels under which countries register. */
const SECOND_LEVELS: ReadonlySet<string> = new Set(['ac', 'co', 'com', 'edu', 'gov', 'net', 'or', 'org']);

/**
 * About what somebody registered of a name: the last two labels, three under the likes of `co.uk`. An address
 * has none. It groups names and decides nothing. `labels` are all but the last two, since whoever owns
 * `net.zz` can have a label before it say anything.
 */
export function suffixOf(host: string): { readonly suffix: string; readonly labels: readonly string[] } {
  const labels = host.split('.');
  if (host.includes(':') || /^\d+$/.test(labels.at(-1) ?? '')) return { suffix: host, labels: [] };
  const [second = '', first = ''] = labels.slice(-2);
  const count = first.length === 2 && SECOND_LEVELS.has(second) ? 3 : 2;
  return { suffix: labels.slice(-count).join('.'), labels: labels.slice(0, -2) };
}
