import { PolicyBundle } from '@subluminal/core-types';
import { type Finding, listed, type Path, pathText, quoted } from '../problem/problem.js';
import { plainKey } from '../source/keys.js';
import { isTreeMap, type Tree } from '../source/tree.js';
import { allowedKeys, requiredKeys, ruleKinds, selectorNames } from './allowed.js';
import { asWritten, mappingHelp, meantKey, placeOfKey } from './meant.js';
import { withKnownKinds } from './known-kinds.js';

type Issue = NonNullable<ReturnType<typeof PolicyBundle.safeParse>['error']>['issues'][number];

/**
 * The verdict of Contract B's schema on a bundle: the typed bundle, or everything that does not fit, each
 * with its path.
 */
export type SchemaResult =
  | { readonly ok: true; readonly bundle: PolicyBundle }
  | { readonly ok: false; readonly findings: readonly Finding[] };

/** Checks the values of a bundle. */
export function checkSchema(tree: Tree): SchemaResult {
  const result = PolicyBundle.safeParse(tree);
  if (result.success) return { ok: true, bundle: result.data };
  const findings = result.error.issues.flatMap((issue) => findingsOf(tree, issue));
  return { ok: false, findings: [...findings, ...behindUnknownKinds(tree)] };
}

/** The mistakes of rules whose kind is none: the schema goes by the kind, and says nothing else of them. */
function behindUnknownKinds(tree: Tree): readonly Finding[] {
  const { probe, stands } = withKnownKinds(tree);
  const issues = stands.size === 0 ? [] : (PolicyBundle.safeParse(probe).error?.issues ?? []);
  return issues
    .filter(({ path }) => path[0] === 'rules' && typeof path[1] === 'number' && stands.has(path[1]))
    .flatMap((issue) => findingsOf(probe, issue));
}

function findingsOf(tree: Tree, issue: Issue): readonly Finding[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(tree, path, key));
  const last = path.at(-1);
  if (typeof last === 'string' && !hasKey(tree, path)) return [missingKey(tree, path, last, issue)];
  if (issue.code === 'invalid_union' && last === 'kind') {
    const help = `the kinds are ${listed(ruleKinds())}`;
    return [{ code: 'unknown_kind', message: `${shown(tree, path)} is no kind of rule`, path, help }];
  }
  if (issue.code === 'invalid_value') {
    const help = `allowed here: ${listed(issue.values.map(String))}`;
    return [{ code: 'wrong_value', message: `${shown(tree, path)} is not allowed here`, path, help }];
  }
  if (issue.code === 'invalid_type') {
    return [wrongType(tree, path, issue.expected)];
  }
  if (issue.code === 'invalid_union') return [wrongType(tree, path, 'string, number or boolean')];
  const value = valueAt(tree, path);
  if (issue.code === 'too_big' && typeof value === 'number') {
    const help = `allowed here: at most ${issue.maximum}`;
    return [{ code: 'wrong_value', message: `${quoted(String(value))} is too large`, path, help }];
  }
  if (issue.code === 'too_small' && typeof value === 'number') {
    const help = `allowed here: ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
    return [{ code: 'wrong_value', message: `${quoted(String(value))} is too small`, path, help }];
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') {
    const isEmpty = value === '';
    const message = `${keyName(path)} is ${isEmpty ? 'empty' : `too ${issue.code === 'too_big' ? 'long' : 'short'}`}`;
    return [{ code: 'wrong_value', message, path, help: lowerFirst(issue.message) }];
  }
  const message = `${shown(tree, path)} is not allowed here`;
  return [{ code: 'wrong_value', message, path, help: lowerFirst(issue.message) }];
}

function unknownKey(tree: Tree, parent: Path, key: string): Finding {
  const path = [...parent, key];
  const name = quoted(plainKey(key));
  if (parent.length === 1 && parent[0] === 'selectors') {
    const help = `the selectors are ${listed(selectorNames())}`;
    return { code: 'unknown_selector', message: `there is no selector ${name}`, path, at: 'key', help };
  }
  const isSelector = parent[0] === 'selectors';
  const code = isSelector ? 'unknown_selector' : 'unknown_key';
  const help = unknownKeyHelp(tree, parent, key);
  return { code, message: `the key ${name} is not known here`, path, at: 'key', help };
}

/** Names the right key, with its form: nobody mends a name to hear that its value does not fit either. */
function unknownKeyHelp(tree: Tree, parent: Path, key: string): string {
  const keys = allowedKeys(tree, parent);
  const all = `allowed here: ${listed(keys)}`;
  const meant = meantKey(keys, key);
  if (meant !== undefined) {
    const value = valueAt(tree, [...parent, key]);
    const written = typeof value === 'object' ? undefined : asWritten(tree, [...parent, meant], value, false);
    const says = written === undefined ? meant : `${meant}: ${written}`;
    return `did you mean ${quoted(says)}? ${all}`;
  }
  const place = placeOfKey(tree, parent, key);
  return place === undefined ? all : `it stands in ${quoted(pathText(place))}; ${all}`;
}

function missingKey(tree: Tree, path: Path, key: string, issue: Issue): Finding {
  const says = missingHelp(issue) ?? `required here: ${listed(allowedKeys(tree, path.slice(0, -1)))}`;
  // Said at once: nobody adds an empty mapping to hear what it lacks.
  const inner = requiredKeys(tree, path).map(({ key: name, words }) =>
    words.length === 0 ? quoted(name) : `${quoted(name)} (${listed(words)})`,
  );
  const help = inner.length === 0 ? says : `${says} with ${inner.join(', ')}`;
  return { code: 'missing_key', message: `the key ${quoted(key)} is missing`, path: path.slice(0, -1), help };
}

function missingHelp(issue: Issue): string | undefined {
  if (issue.code === 'invalid_value') return `add it with one of ${listed(issue.values.map(String))}`;
  if (issue.code === 'invalid_type') return `add it; it is ${article(issue.expected)}`;
  if (issue.code === 'invalid_union') return `add it with one of ${listed(ruleKinds())}`;
  if (issue.code === 'custom') return `add it: ${issue.message}`;
  return undefined;
}

function wrongType(tree: Tree, path: Path, expected: string): Finding {
  const help = typeHelp(tree, path, expected);
  const message = `${shown(tree, path)} is ${article(typeName(valueAt(tree, path)))}, not ${article(expected)}`;
  return { code: 'wrong_type', message, path, help };
}

function typeHelp(tree: Tree, path: Path, expected: string): string {
  if (expected === 'string') return 'put it in double quotes';
  const value = valueAt(tree, path);
  if (expected === 'object') return mappingHelp(tree, path, value);
  const written = expected === 'array' ? asWritten(tree, path, value, true) : undefined;
  return `write ${article(expected)}${written === undefined ? '' : `: ${quoted(written)}`}`;
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['number', 'a number'],
  ['boolean', '`true` or `false`'],
  ['object', 'a mapping'],
  ['record', 'a mapping'],
  ['array', 'a list'],
  ['int', 'a whole number'],
  ['null', 'empty'],
  ['string, number or boolean', 'a text, a number, `true` or `false`'],
]);

function article(type: string): string {
  return TYPE_NAMES.get(type) ?? type;
}

function typeName(value: Tree | undefined): string {
  if (value === null || value === undefined) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The value in backticks where it is short, else its key. */
function shown(tree: Tree, path: Path): string {
  const value = valueAt(tree, path);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    return quoted(String(value));
  }
  return keyName(path);
}

function keyName(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return 'the bundle';
  return typeof last === 'number' ? `item ${last + 1}` : quoted(plainKey(last));
}

function valueAt(tree: Tree, path: Path): Tree | undefined {
  let value: Tree | undefined = tree;
  for (const step of path) {
    if (typeof step === 'number') value = Array.isArray(value) ? value[step] : undefined;
    else value = isTreeMap(value) && Object.hasOwn(value, step) ? value[step] : undefined;
  }
  return value;
}

function hasKey(tree: Tree, path: Path): boolean {
  const parent = valueAt(tree, path.slice(0, -1));
  const last = path.at(-1);
  return last !== undefined && isTreeMap(parent) && Object.hasOwn(parent, last);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
