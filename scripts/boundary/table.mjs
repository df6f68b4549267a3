// The import table (boundary.json): which row governs a file, and what that row allows.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/**
 * @typedef {{ relative?: string[], packages?: string[], npm?: string[], node?: string[], processes?: string[]
 *   }} TestAllowance
 * @typedef {{ name: string, files: string[], relative?: string[], packages: string[], npm: string[], node:
 *   string[], only?: Record<string, string[]>, processes?: string[], network?: string[], computed?: string[],
 *   tests?: TestAllowance }} Row
 * @typedef {{ about: string, ignore: string[], tests: TestAllowance & { files: string[] }, rows: Row[] }}
 *   Table
 * @typedef {{ name: string, test: boolean, relative: string[], packages: Set<string>, npm: Set<string>,
 *   node: Set<string>, only: Record<string, string[]>, processes: string[], network: string[],
 *   computed: string[] }} Governing
 */

export const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;

/**
 * Whether a slash-separated path matches a glob of `*` (inside one segment) and `**` (any number of
 * segments).
 * @param {string} path
 * @param {string} glob
 * @returns {boolean}
 */
export function matches(path, glob) {
  return matchSegments(path.split('/'), glob.split('/'));
}

/** @param {string[]} path @param {string[]} glob @returns {boolean} */
function matchSegments(path, glob) {
  const [head, ...rest] = glob;
  if (head === undefined) return path.length === 0;
  if (head === '**') {
    if (rest.length === 0) return true;
    return path.some((_, at) => matchSegments(path.slice(at), rest));
  }
  const [segment, ...deeper] = path;
  return segment !== undefined && matchSegment(segment, head) && matchSegments(deeper, rest);
}

/** @param {string} segment @param {string} pattern @returns {boolean} */
function matchSegment(segment, pattern) {
  const parts = pattern.split('*');
  if (parts.length === 1) return segment === pattern;
  const first = parts[0] ?? '';
  const last = parts.at(-1) ?? '';
  if (!segment.startsWith(first) || !segment.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = segment.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at <= segment.length - last.length;
}

/** @param {string} path @param {readonly string[]} globs @returns {boolean} */
export function matchesAny(path, globs) {
  return globs.some((glob) => matches(path, glob));
}

/**
 * The nearest folder at or above `from` that holds boundary.json.
 * @param {string} from
 * @returns {string}
 */
export function findRoot(from) {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'boundary.json'))) return folder;
    if (folder === dirname(folder)) throw new Error(`no boundary.json at or above \`${from}\``);
  }
}

/** @param {string} root @returns {Table} */
export function loadTable(root) {
  return JSON.parse(readFileSync(join(root, 'boundary.json'), 'utf8'));
}

/**
 * The row that governs a file, with a test's extra allowance already joined in; undefined when no row covers
 * it, which every reader of the table must treat as an error.
 * @param {Table} table
 * @param {string} file path from the root, slash-separated
 * @returns {Governing | undefined}
 */
export function governing(table, file) {
  const row = table.rows.find((candidate) => matchesAny(file, candidate.files));
  if (row === undefined) return undefined;
  const test = matchesAny(file, table.tests.files);
  const extras = test ? [table.tests, row.tests ?? {}] : [];
  /** @param {'packages' | 'npm' | 'node'} column */
  const joined = (column) => new Set([...row[column], ...extras.flatMap((extra) => extra[column] ?? [])]);
  return {
    name: row.name,
    test,
    relative: [...row.files, ...(row.relative ?? []), ...extras.flatMap((extra) => extra.relative ?? [])],
    packages: joined('packages'),
    npm: joined('npm'),
    node: joined('node'),
    only: test ? {} : (row.only ?? {}),
    processes: [...(row.processes ?? []), ...extras.flatMap((extra) => extra.processes ?? [])],
    network: row.network ?? [],
    computed: row.computed ?? [],
  };
}

/**
 * Every source file under the root, as slash-separated paths in code-unit order.
 * @param {string} root
 * @param {Table} table
 * @returns {string[]}
 */
export function sourceFiles(root, table) {
  /** @type {string[]} */
  const found = [];
  /** @param {string} folder */
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const full = join(folder, entry.name);
      const path = relative(root, full).split(sep).join('/');
      if (entry.name === '.git' || matchesAny(path, table.ignore) || matchesAny(`${path}/x`, table.ignore))
        continue;
      if (entry.isDirectory()) walk(full);
      else if (SOURCE.test(entry.name)) found.push(path);
    }
  };
  walk(root);
  return found.toSorted();
}
