import { compileGlob } from '../pattern/glob.js';
import type { PlainMatch, PlainNames } from '../snapshot/plain.js';

/**
 * Whether every call that `narrow` matches is surely matched by `wide`. Careful in one direction: true is proven,
 * false only means that it is not. A match on arguments covers nothing, since it may not see them.
 */
export function covers(wide: PlainMatch, narrow: PlainMatch): boolean {
  if (wide.args !== undefined) return false;
  if (!coversNames(wide.server_name, narrow.server_name)) return false;
  if (!coversNames(wide.tool_name, narrow.tool_name)) return false;
  // The narrow rule stands below, so that a call has by then every class that it had at the wide one, but not the
  // other way round: only the absence of the field covers.
  return wide.risk_class === undefined;
}

function coversNames(wide: PlainNames | undefined, narrow: PlainNames | undefined): boolean {
  if (wide === undefined || wide.glob?.includes('*') === true) return true;
  if (narrow === undefined) return false;
  if (!(narrow.regex ?? []).every((regex) => wide.regex?.includes(regex) === true)) return false;
  return (narrow.glob ?? []).every((glob) => (wide.glob ?? []).some((other) => coversGlob(other, glob)));
}

/** Equal, or the narrow one has no special character and is matched, or both are a prefix and `*`. */
function coversGlob(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  if (isText(wide)) return false;
  const prefix = wide.slice(0, -1);
  if (wide.endsWith('*') && isText(prefix)) return isText(narrow.slice(0, -1)) && narrow.startsWith(prefix);
  if (!isText(narrow)) return false;
  const compiled = compileGlob(wide);
  return compiled.ok && compiled.test(narrow);
}

function isText(glob: string): boolean {
  return !/[*?[\]{}\\]/.test(glob);
}
