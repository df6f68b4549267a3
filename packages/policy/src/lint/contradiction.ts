import { own } from '@subluminal/core-types';
import type { PlainArgs } from '../snapshot/plain.js';

/** Why no arguments can meet all predicates, or undefined where some may. */
export function contradiction(args: PlainArgs | undefined): string | undefined {
  if (args === undefined) return undefined;
  for (const [key, value] of Object.entries(args.key_equals ?? {})) {
    const allowed = own(args.key_in, key);
    if (allowed !== undefined && !allowed.includes(value))
      return `\`key_equals\` and \`key_in\` of \`${key}\` exclude each other`;
    const range = own(args.numeric_range, key);
    if (range !== undefined && !isInside(value, range)) {
      return `\`key_equals\` and \`numeric_range\` of \`${key}\` exclude each other`;
    }
  }
  for (const [key, allowed] of Object.entries(args.key_in ?? {})) {
    const range = own(args.numeric_range, key);
    if (range !== undefined && !allowed.some((value) => isInside(value, range))) {
      return `\`key_in\` and \`numeric_range\` of \`${key}\` exclude each other`;
    }
  }
  return undefined;
}

function isInside(
  value: string | number | boolean,
  range: { readonly min?: number; readonly max?: number },
): boolean {
  return typeof value === 'number' && value >= (range.min ?? -Infinity) && value <= (range.max ?? Infinity);
}
