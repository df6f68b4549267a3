import { canonicalize } from '@subluminal/core-types';
import { quoted } from '../problem/problem.js';
import type { PlainMatch } from '../snapshot/plain.js';

/** Parts of a match that are named; the others are counted. */
const MAX_PARTS = 4;
const MAX_VALUES = 4;

/** The additions to a match and the removals, in one line: `tool_name.glob + rm -rf, - rm`. */
export function matchText(from: PlainMatch, to: PlainMatch): string {
  const [old, fresh] = [partsOf(from), partsOf(to)];
  const fields = [...new Set([...old.keys(), ...fresh.keys()])];
  const texts = fields.flatMap((field) => {
    const [before, after] = [old.get(field) ?? [], fresh.get(field) ?? []];
    const more = after.filter((value) => !before.includes(value));
    const fewer = before.filter((value) => !after.includes(value));
    const changes = [...signed('+', more), ...signed('-', fewer)];
    return changes.length === 0 ? [] : [`${field} ${changes.join(', ')}`];
  });
  const others = texts.length > MAX_PARTS ? [`${texts.length - MAX_PARTS} more`] : [];
  return [...texts.slice(0, MAX_PARTS), ...others].join('; ');
}

function signed(sign: string, values: readonly string[]): readonly string[] {
  if (values.length === 0) return [];
  const shown = values.slice(0, MAX_VALUES).map((value) => quoted(value));
  const more = values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : '';
  return [`${sign} ${shown.join(' ')}${more}`];
}

/** Every part of a match under its name, as texts. */
function partsOf({
  server_name,
  tool_name,
  risk_class,
  args,
  time,
  ...objects
}: PlainMatch): ReadonlyMap<string, readonly string[]> {
  const parts = new Map<string, readonly string[]>();
  const add = (field: string, values: readonly unknown[] | undefined): void => {
    if (values === undefined) return;
    parts.set(
      field,
      values.map((value) => (typeof value === 'string' ? value : canonicalize(value))),
    );
  };
  add('server_name.glob', server_name?.glob);
  add('server_name.regex', server_name?.regex);
  add('tool_name.glob', tool_name?.glob);
  add('tool_name.regex', tool_name?.regex);
  add('risk_class', risk_class);
  add('args.has_keys', args?.has_keys);
  for (const [key, value] of Object.entries(args?.key_equals ?? {})) add(`args.key_equals.${key}`, [value]);
  for (const [key, values] of Object.entries(args?.key_in ?? {})) add(`args.key_in.${key}`, values);
  for (const [key, range] of Object.entries(args?.numeric_range ?? {}))
    add(`args.numeric_range.${key}`, [range]);
  add('args.text', args?.text);
  add('time.utc_hours', time?.utc_hours);
  for (const [part, fields] of Object.entries(objects)) {
    for (const [field, value] of Object.entries(fields as Readonly<Record<string, unknown>>))
      add(`${part}.${field}`, Array.isArray(value) ? value : [value]);
  }
  return parts;
}
