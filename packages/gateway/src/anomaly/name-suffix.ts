/** Second levels under which countries register. */
const SECOND_LEVELS: ReadonlySet<string> = new Set(['ac', 'co', 'com', 'edu', 'gov', 'net', 'or', 'org']);

/**
 * About what somebody registered of a name, and the labels before it: the last two labels, three under the likes of `co.uk`. An
 * address has none. It groups names and decides nothing: a suffix that is too short only makes a label more to look at.
 */
export function suffixOf(host: string): { readonly suffix: string; readonly labels: readonly string[] } {
  const labels = host.split('.');
  if (host.includes(':') || /^\d+$/.test(labels.at(-1) ?? '')) return { suffix: host, labels: [] };
  const [second = '', first = ''] = labels.slice(-2);
  const count = first.length === 2 && SECOND_LEVELS.has(second) ? 3 : 2;
  return { suffix: labels.slice(-count).join('.'), labels: labels.slice(0, -count) };
}
