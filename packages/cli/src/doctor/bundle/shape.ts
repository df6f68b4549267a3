/** Keys and words that say nothing about anybody; all others are left out. */
export interface Known {
  readonly keys: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

const MAX_DEPTH = 6;
const MAX_KEYS = 60;

/** The shape of a value: its known keys and words, numbers, truths, and how much there is of the rest. */
export function shapeLines(value: unknown, known: Known, indent = '', depth = 0): readonly string[] {
  if (!isTable(value)) return [`${indent}${leafOf(value, known)}`];
  const entries = Object.entries(value);
  const shown = entries.slice(0, MAX_KEYS).flatMap(([key, member]) => {
    const name = known.keys.has(key) ? key : '<name>';
    const inner = Array.isArray(member) ? member.find(isTable) : member;
    const count = Array.isArray(member) ? ` [${member.length}]` : '';
    if (inner === undefined || !isTable(inner)) return [`${indent}${name}${count}: ${leafOf(member, known)}`];
    if (depth === MAX_DEPTH) return [`${indent}${name}${count}: …`];
    return [`${indent}${name}${count}:`, ...shapeLines(inner, known, `${indent}  `, depth + 1)];
  });
  const more = entries.length - MAX_KEYS;
  return alikeOnce(more > 0 ? [...shown, `${indent}… ${more} more`] : shown);
}

/** Lines that are alike stand once. */
function alikeOnce(lines: readonly string[]): readonly string[] {
  const found: { readonly line: string; times: number }[] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last?.line === line) last.times += 1;
    else found.push({ line, times: 1 });
  }
  return found.map(({ line, times }) => (times === 1 ? line : `${line} (${times} times)`));
}

/** Every text in a value, at whatever depth, but for the known words. */
export function textsIn(value: unknown, known: Known): readonly string[] {
  if (typeof value === 'string') return known.words.has(value) ? [] : [value];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, known));
  if (!isTable(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => [
    ...(known.keys.has(key) ? [] : [key]),
    ...textsIn(one, known),
  ]);
}

function leafOf(value: unknown, known: Known): string {
  if (typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (typeof value === 'string') return known.words.has(value) ? value : '<text>';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : `${value.length} of them`;
  return '<value>';
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
