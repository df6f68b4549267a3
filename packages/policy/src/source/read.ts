import { isSublError, parseJson } from '@subluminal/core-types';
import { type Document, LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { ProblemCode } from '../problem/codes.js';
import type { Finding, PolicyProblem } from '../problem/problem.js';
import { tooDeepAt } from './nesting.js';
import { Places } from './places.js';
import { syntaxWords } from './syntax.js';
import type { Tree } from './tree.js';
import { TreeReader } from './tree-reader.js';

/** How the text of a bundle is written. `auto` goes by the file name, else by whether it begins with `{`. */
export type SourceFormat = 'yaml' | 'json' | 'auto';

/** A text that was read: its values and their places, or why it cannot be read. */
export type ReadResult =
  | { readonly ok: true; readonly tree: Tree; readonly places: Places; readonly findings: readonly Finding[] }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] };

const MAX_CHARACTERS = 262_144;
/** Strict JSON cannot be made to hurt as YAML can: policies of ten thousand rules are read as JSON. */
const MAX_JSON_CHARACTERS = 4_194_304;
/** An alias counts as often as it is used, so this also bounds what a chain of aliases can expand to. */
const MAX_VALUES = 50_000;
const MAX_JSON_VALUES = 500_000;
const MAX_SYNTAX_ERRORS = 50;
const FLATTER = 'make the bundle smaller and flatter';

/**
 * Reads the text of a bundle. JSON is read strictly first, then as the YAML it also is, which knows the
 * places.
 */
export function readSource(source: string, format: 'yaml' | 'json'): ReadResult {
  const isLarge = source.length > MAX_CHARACTERS;
  if (source.length > MAX_JSON_CHARACTERS || (isLarge && !isJson(source))) {
    const message = `the file has ${source.length} characters; at most ${MAX_CHARACTERS} are read`;
    const help = `write a larger one as JSON, of which ${MAX_JSON_CHARACTERS} are read`;
    return { ok: false, problems: [problemAt(new Places(new LineCounter()), 0, 'too_large', message, help)] };
  }
  const lines = new LineCounter();
  const places = new Places(lines);
  const deep = tooDeepAt(source);
  if (deep !== undefined) {
    for (let at = 0; at !== -1 && at <= deep; at = source.indexOf('\n', at) + 1 || -1) lines.addNewLine(at);
    const message = 'values are nested deeper than 64 levels';
    return { ok: false, problems: [problemAt(places, deep, 'too_deep', message, FLATTER)] };
  }
  const document = parse(source, lines);
  const json = format === 'json' ? jsonError(source, places, document) : undefined;
  if (json !== undefined && document.errors.length > 0) return { ok: false, problems: [json] };
  const problems = syntaxProblems(source, places, document.errors);
  if (
    document.directives?.yaml.explicit === true ||
    Object.keys(document.directives?.tags ?? {}).length > 1
  ) {
    problems.push(
      problemAt(places, 0, 'yaml_feature', 'directives are not allowed in a policy', 'remove the `%` line'),
    );
  }
  if (problems.length > 0) return { ok: false, problems };
  const reader = new TreeReader(document, places, isLarge ? MAX_JSON_VALUES : MAX_VALUES);
  const tree = reader.read();
  // Strict JSON also refuses these two, but the reader finds all of them, each in its place.
  const explained = reader.findings.some(
    ({ code }) => code === 'duplicate_key' || code === 'text_not_unicode',
  );
  if (json !== undefined && !explained) return { ok: false, problems: [json] };
  return { ok: true, tree, places, findings: reader.findings };
}

/** Decides how a text is written. */
export function formatOf(
  source: string,
  format: SourceFormat,
  filename: string | undefined,
): 'yaml' | 'json' {
  if (format !== 'auto') return format;
  if (filename?.endsWith('.json') === true) return 'json';
  if (filename?.endsWith('.yaml') === true || filename?.endsWith('.yml') === true) return 'yaml';
  return source.trimStart().startsWith('{') ? 'json' : 'yaml';
}

function parse(source: string, lineCounter: LineCounter): Document {
  // Duplicate keys are found while the values are read: the library compares every key with every other.
  return parseDocument(source, { lineCounter, prettyErrors: false, uniqueKeys: false });
}

function isJson(source: string): boolean {
  try {
    parseJson(source);
    return true;
  } catch (error) {
    if (isSublError(error)) return false;
    throw error;
  }
}

function jsonError(source: string, places: Places, document: Document): PolicyProblem | undefined {
  try {
    parseJson(source);
    return undefined;
  } catch (error) {
    if (isSublError(error, 'too_deep')) return problemAt(places, 0, 'too_deep', error.message);
    if (!isSublError(error, 'invalid_json')) throw error;
    const at = error.details?.['at'];
    const offset = typeof at === 'number' ? at : (document.errors[0]?.pos[0] ?? 0);
    return problemAt(places, offset, 'syntax', error.message, 'correct the json there');
  }
}

/** One a line: what follows a mistake in its line mostly follows from it. */
function syntaxProblems(source: string, places: Places, errors: readonly YAMLError[]): PolicyProblem[] {
  const lines = new Map<number, PolicyProblem>();
  for (const error of errors) {
    if (lines.size === MAX_SYNTAX_ERRORS) break;
    const { line } = places.at(error.pos[0]);
    if (!lines.has(line)) lines.set(line, syntax(source, places, error));
  }
  return [...lines.values()];
}

function syntax(source: string, places: Places, error: YAMLError): PolicyProblem {
  if (error.code === 'TAB_AS_INDENT') {
    const message = 'a tab is used to indent';
    return problemAt(places, error.pos[0], 'tab_indent', message, 'indent with spaces');
  }
  if (error.code === 'MULTIPLE_DOCS') {
    const help = 'keep one policy in one file, without a `---` line';
    return problemAt(places, error.pos[0], 'yaml_feature', 'a second document begins here', help);
  }
  const { message, help } = syntaxWords(source, error);
  return problemAt(places, error.pos[0], 'syntax', message, help);
}

function problemAt(
  places: Places,
  offset: number,
  code: ProblemCode,
  message: string,
  help?: string,
): PolicyProblem {
  const place = places.at(offset);
  return { severity: 'error', code, message, ...place, path: '', ...(help === undefined ? {} : { help }) };
}
