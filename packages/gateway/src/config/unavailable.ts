import type { ConfigSection } from './section.js';

/**
 * Settings that the documents name and this version does not have: asking for one must not look like having
 * it.
 */
const LATER: readonly string[] = [
  'accounts',
  'anchors',
  'hooks',
  'ledger.retention',
  'seals',
  'secrets',
  'ui',
  'witness',
  'witnesses',
  'worlds',
];

/** The first such setting in a table that no section brings, as a dotted path, or undefined. */
export function findUnavailable(
  table: Readonly<Record<string, unknown>>,
  sections: readonly ConfigSection[],
): string | undefined {
  const brought = new Set(sections.map(({ name }) => name));
  return LATER.find((path) => !brought.has(path) && has(table, path.split('.')));
}

function has(value: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false;
  return has(Object.getOwnPropertyDescriptor(value, key)?.value, rest);
}
