// Part "dependencies": every npm package that a package without the network can load, down to native code.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { destination } from '../boundary/specifier.mjs';
import { opensSockets } from './native-code.mjs';
import { check } from './report.mjs';
import { scanFile } from './scan.mjs';

/** @import { Fact } from '../boundary/facts.mjs' */
/** @import { Check, Finding } from './report.mjs' */
/** @import { Reviewed } from './reviewed.mjs' */

/**
 * @typedef {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 *   peerDependencies?: Record<string, string> }} Locked
 */

const PART = 'dependencies';

/** The packages whose process holds the network; all others may not bring it in. */
export const WITH_NETWORK = new Set([
  'anchors',
  'anomaly',
  'approvals',
  'away',
  'daemon',
  'egress',
  'gateway',
  'hooks-door',
  'net',
  'notify',
  'plane-wing',
  'projects',
  'proxy',
  'remote',
  'services',
  'tools',
  'ui',
  'witness',
  'worlds-net',
]);

/** Built-ins that reach the network, start what could, or load code out of a reader's sight. */
const OUTWARD_BUILTINS = new Set([
  'child_process',
  'cluster',
  'dgram',
  'dns',
  'http',
  'http2',
  'https',
  'inspector',
  'module',
  'net',
  'repl',
  'tls',
  'vm',
  'wasi',
  'worker_threads',
]);

/**
 * Whether a built-in is one of these, or one of the undocumented parts (`_http_client`) that they are made
 * of.
 */
export function isOutward(/** @type {string} */ name) {
  return OUTWARD_BUILTINS.has(name) || name.startsWith('_');
}

/**
 * One check a package of the workspace that may not use the network.
 * @param {string} root
 * @param {Reviewed} reviewed
 * @returns {Check[]}
 */
export function auditDependencies(root, reviewed) {
  /** @type {Record<string, Locked>} */
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  /** @type {Map<string, { files: number, findings: Finding[] }>} */
  const scanned = new Map();
  const names = readdirSync(join(root, 'packages'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !WITH_NETWORK.has(entry.name))
    .map(({ name }) => name);
  return names.toSorted().map((name) => {
    const { paths, findings } = closure(root, lock, `packages/${name}`, reviewed);
    let files = 0;
    for (const path of paths) {
      const seen = scanned.get(path) ?? auditPackage(root, path, lock[path] ?? {}, reviewed);
      scanned.set(path, seen);
      files += seen.files;
      findings.push(...seen.findings);
    }
    return check(PART, name, `${paths.length} packages, ${files} files`, findings);
  });
}

/**
 * The npm packages below a workspace package, by their path in the lock file.
 * @param {string} root @param {Record<string, Locked>} lock @param {string} start @param {Reviewed} reviewed
 */
function closure(root, lock, start, reviewed) {
  /** @type {Finding[]} */
  const findings = [];
  /** @type {Set<string>} */
  const seen = new Set([start]);
  for (const path of seen) {
    const locked = lock[path];
    if (locked === undefined) {
      findings.push({ where: path, what: 'package-lock.json does not know it' });
      continue;
    }
    for (const name of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })) {
      if (name.startsWith('@subluminal/')) seen.add(`packages/${name.split('/')[1]}`);
      else if (!reviewed.cutsEdge(nameOf(path), name)) {
        const found = resolve(lock, path, name);
        if (found !== null) seen.add(found);
        else if (locked.dependencies?.[name] !== undefined) {
          findings.push({ where: path, what: `its dependency \`${name}\` is not in package-lock.json` });
        }
      }
    }
  }
  const paths = [...seen].filter((path) => path.includes('node_modules/'));
  for (const path of paths.filter((found) => !existsSync(join(root, found)))) {
    findings.push({ where: path, what: 'not installed, so not read: run `npm ci`' });
  }
  return { paths: paths.filter((path) => existsSync(join(root, path))), findings };
}

/** @param {Record<string, Locked>} lock @param {string} from @param {string} name @returns {string | null} */
function resolve(lock, from, name) {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const path = `${folder}/node_modules/${name}`;
    if (lock[path] !== undefined) return path;
    if (!folder.includes('/node_modules/')) break;
  }
  return lock[`node_modules/${name}`] === undefined ? null : `node_modules/${name}`;
}

/** @param {string} path @returns {string} */
function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** @param {string} root @param {string} path @param {Locked} locked @param {Reviewed} reviewed */
function auditPackage(root, path, locked, reviewed) {
  const name = nameOf(path);
  const known = new Set([
    name,
    ...Object.keys({
      ...locked.dependencies,
      ...locked.optionalDependencies,
      ...locked.peerDependencies,
    }).filter((dependency) => !reviewed.cutsEdge(name, dependency)),
  ]);
  /** @type {Finding[]} */
  const findings = [];
  let files = 0;
  for (const file of loadable(join(root, path))) {
    files += 1;
    const where = `${path}/${file}`;
    for (const { fact, line } of outwardFacts(join(root, path, file), file, known)) {
      if (!reviewed.coversUse(name, file, fact)) findings.push({ where: `${where}:${line}`, what: fact });
    }
  }
  return { files, findings };
}

/**
 * Files of a package that Node could load: not its own dependencies, and not what a compiler left on its way
 * to them.
 * @param {string} folder
 * @returns {string[]}
 */
function loadable(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:[cm]?js|node|wasm)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((file) => !file.split('/').some((part) => part === 'node_modules' || part === 'obj.target'))
    .toSorted();
}

/** @param {string} full @param {string} file @param {Set<string>} known */
function outwardFacts(full, file, known) {
  if (file.endsWith('.node'))
    return opensSockets(full).map((symbol) => ({ fact: `native code uses ${symbol}`, line: 0 }));
  if (file.endsWith('.wasm')) return [{ fact: 'WebAssembly, which is not read', line: 0 }];
  let scan;
  try {
    scan = scanFile(full);
  } catch (error) {
    return [{ fact: error instanceof Error ? error.message : String(error), line: 0 }];
  }
  const found = scan.facts.flatMap((fact) => {
    const text = outward(fact, file, known);
    return text === null ? [] : [{ fact: text, line: scan.lineOf(fact.node.start) }];
  });
  return found.filter(({ fact }, at) => found.findIndex((other) => other.fact === fact) === at);
}

/**
 * The meaning of a dependency's fact for the boundary, in the words that `reviewed.json` uses; null when
 * nothing.
 * @param {Fact} fact
 * @param {string} file
 * @param {Set<string>} known packages that it declares
 * @returns {string | null}
 */
export function outward(fact, file, known) {
  if (fact.kind === 'global') return null;
  if (fact.kind !== 'import') return `${fact.kind}: ${fact.what}`;
  if (fact.specifier === null) return `computed ${fact.how}`;
  const to = destination(fact.specifier, file);
  switch (to.to) {
    case 'node':
      return isOutward(to.name) ? `${fact.how} of ${to.name}` : null;
    case 'npm':
      return known.has(to.name) ? null : `${fact.how} of ${to.name}, which it does not declare`;
    case 'package':
    case 'file':
      return null;
    case 'elsewhere':
      return `${fact.how} of ${fact.specifier}: ${to.why}`;
  }
}
