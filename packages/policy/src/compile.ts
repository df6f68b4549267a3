import { findUnavailable } from './lint/available.js';
import { findContentMistakes } from './lint/contents.js';
import { projectWarnings } from './lint/project.js';
import { findWarnings } from './lint/warnings.js';
import { byPlace, type Finding, pathText, type PolicyProblem } from './problem/problem.js';
import { checkSchema } from './schema/check-schema.js';
import { plainPolicy } from './snapshot/plain.js';
import { buildSnapshot, type PolicySnapshot } from './snapshot/snapshot.js';
import { plainKey } from './source/keys.js';
import { type AroundPolicy, worldWarningsHere } from './world/warnings.js';
import type { Places } from './source/places.js';
import { formatOf, readSource, type SourceFormat } from './source/read.js';

/** How to read a bundle. */
export interface CompileOptions {
  /** Default `auto`: by the file name, else JSON where the text begins with `{`. */
  readonly format?: SourceFormat;
  readonly filename?: string;
  /** This machine, for warnings that only it can tell. */
  readonly around?: AroundPolicy;
}

/** A snapshot with what is worth a second look, or everything that keeps the bundle from loading. */
export type CompileResult =
  | { readonly ok: true; readonly snapshot: PolicySnapshot; readonly warnings: readonly PolicyProblem[] }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

const MAX_PROBLEMS = 200;
/** The name of a project's policy. */
const PROJECT_FILE = /(?:^|[/\\])\.subluminal\.yaml$/;

/**
 * Compiles a policy bundle (Contract B) to a snapshot. Never throws on any text: all mistakes of a file come
 * back at once, in the order of the file, each with line, column and what is allowed there. A rule that this
 * version does not enforce (`not_available`) is a mistake like any other, so that no limit is silently
 * without effect. Bounded: 262,144 characters, or 4,194,304 of strict JSON; 50,000 values after aliases, or
 * 500,000; patterns of 1,024 characters, 200 problems.
 */
export function compilePolicy(source: string, options: CompileOptions = {}): CompileResult {
  const read = readSource(source, formatOf(source, options.format ?? 'auto', options.filename));
  if (!read.ok) return read;
  const schema = checkSchema(read.tree);
  const errors = [
    ...read.findings,
    ...(schema.ok ? [] : schema.findings),
    ...findUnavailable(read.tree),
    ...findContentMistakes(read.tree),
  ];
  const plain = schema.ok && errors.length === 0 ? plainPolicy(schema.bundle) : undefined;
  if (plain === undefined) {
    return { ok: false, problems: located(errors, 'error', read.places) };
  }
  const found = findWarnings(plain);
  const isProject = options.filename !== undefined && PROJECT_FILE.test(options.filename);
  const here = options.around === undefined ? [] : worldWarningsHere(plain.world, options.around);
  const all = [...found, ...(isProject ? projectWarnings(plain) : []), ...here];
  const warnings = located(all, 'warning', read.places);
  return { ok: true, snapshot: buildSnapshot(plain), warnings };
}

function located(
  findings: readonly Finding[],
  severity: PolicyProblem['severity'],
  places: Places,
): readonly PolicyProblem[] {
  return findings
    .map(({ code, message, path, at, help }): PolicyProblem => {
      const place = places.find(path, at);
      const text = pathText(path.map((step) => (typeof step === 'number' ? step : plainKey(step))));
      return { severity, code, message, ...place, path: text, ...(help === undefined ? {} : { help }) };
    })
    .toSorted(byPlace)
    .slice(0, MAX_PROBLEMS);
}
