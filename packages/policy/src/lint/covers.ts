import { compileGlob } from '../pattern/glob.js';
import type { PatternResult } from '../pattern/regex.js';
import type { PlainMatch, PlainNames } from '../snapshot/plain.js';

/** The globs of one policy, each compiled once however many rules it is compared with. */
export class GlobTests {
  readonly #compiled = new Map<string, PatternResult>();

  test(glob: string, name: string): boolean {
    const compiled = this.#compiled.get(glob) ?? compileGlob(glob);
    this.#compiled.set(glob, compiled);
    return compiled.ok && compiled.test(name);
  }
}

/**
 * Whether every call that `narrow` matches is surely matched by `wide`. Careful in one direction: true is
 * proven, false only means that it is not. A match on arguments or times covers nothing, since it may not see
 * them.
 */
export function covers(wide: PlainMatch, narrow: PlainMatch, globs: GlobTests): boolean {
  if (wide.args !== undefined || wide.time !== undefined || looksAtObjects(wide)) return false;
  if (!coversNames(wide.server_name, narrow.server_name, globs)) return false;
  if (!coversNames(wide.tool_name, narrow.tool_name, globs)) return false;
  // The narrow rule stands below, so that a call has by then every class that it had at the wide one, but not
  // the other way round: only the absence of the field covers.
  return wide.risk_class === undefined;
}

/** Whether a match looks at the objects of a call. */
export function looksAtObjects({ path, command, host, sql }: PlainMatch): boolean {
  return [path, command, host, sql].some((part) => part !== undefined);
}

/** Whether every name that `narrow` matches is surely matched by `wide`. */
export function coversNames(
  wide: PlainNames | undefined,
  narrow: PlainNames | undefined,
  globs: GlobTests,
): boolean {
  if (wide === undefined || wide.glob?.includes('*') === true) return true;
  if (narrow === undefined) return false;
  if (!(narrow.regex ?? []).every((regex) => wide.regex?.includes(regex) === true)) return false;
  return (narrow.glob ?? []).every((glob) =>
    (wide.glob ?? []).some((other) => coversGlob(other, glob, globs)),
  );
}

/** Equal, or the narrow one has no special character and is matched, or both are a prefix and `*`. */
function coversGlob(wide: string, narrow: string, globs: GlobTests): boolean {
  if (wide === narrow) return true;
  if (isText(wide)) return false;
  const prefix = wide.slice(0, -1);
  if (wide.endsWith('*') && isText(prefix)) return isText(narrow.slice(0, -1)) && narrow.startsWith(prefix);
  if (!isText(narrow)) return false;
  return globs.test(wide, narrow);
}

function isText(glob: string): boolean {
  return !/[*?[\]{}\\]/.test(glob);
}
