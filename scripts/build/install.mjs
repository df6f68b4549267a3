// Whether node_modules is what package-lock.json asks for, and `npm ci` when it is not.
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { run } from './command.mjs';

/**
 * @typedef {{ version?: string, link?: boolean, resolved?: string, optional?: boolean, peer?: boolean }}
 *   Locked
 */

/**
 * Installs when something is missing; does nothing, and touches no network, when all is there.
 * @param {string} root
 * @returns {Promise<void>}
 */
export async function ensureInstalled(root) {
  linkWorkspaces(root);
  const reason = whyInstall(root);
  if (reason === null) return;
  process.stderr.write(`installing dependencies: ${reason}\n`);
  const code = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: root });
  if (code !== 0) throw new Error('`npm ci` failed: see its output above');
  if (compilesSqlite()) await compileSqlite(root);
  const still = whyInstall(root);
  if (still !== null) throw new Error(`\`npm ci\` ended well, and yet ${still}`);
}

/**
 * A package of the workspace that is new to a tree is nothing to install: it gets its link.
 * @param {string} root
 */
export function linkWorkspaces(root) {
  if (!existsSync(join(root, 'node_modules'))) return;
  for (const [path, { link, resolved }] of Object.entries(packagesOf(join(root, 'package-lock.json')))) {
    if (link !== true || resolved === undefined || existsSync(join(root, path))) continue;
    const place = join(root, path);
    mkdirSync(dirname(place), { recursive: true });
    rmSync(place, { force: true });
    symlinkSync(relative(dirname(place), join(root, resolved)), place, 'junction');
  }
}

/**
 * Why an install is due, else null.
 * @param {string} root
 * @returns {string | null}
 */
export function whyInstall(root) {
  const installed = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return 'node_modules is missing';
  const have = packagesOf(installed);
  for (const [path, want] of Object.entries(packagesOf(join(root, 'package-lock.json')))) {
    if (!path.startsWith('node_modules/') || want.link === true || want.optional === true) continue;
    const version = have[path]?.version;
    if (version !== want.version) {
      return `\`${path}\` is ${version ?? 'absent'}, package-lock.json asks for ${want.version}`;
    }
  }
  const addon = join(root, 'node_modules/better-sqlite3-12/build/Release/better_sqlite3.node');
  return !compilesSqlite() || existsSync(addon) ? null : 'the native part of better-sqlite3 12 is not built';
}

/** Since Node 22 SQLite comes as a binary, as everything else does: no script of a dependency is run. */
function compilesSqlite() {
  return Number.parseInt(process.versions.node, 10) < 22;
}

/** @param {string} root */
async function compileSqlite(root) {
  const flags = ['--foreground-scripts', '--loglevel=error'];
  const code = await run('npm', ['rebuild', ...flags, 'better-sqlite3-12'], { cwd: root });
  if (code !== 0)
    throw new Error('SQLite was not compiled (above): Node 20 needs a C++ compiler for it, Node 22 does not');
}

/** @param {string} file @returns {Record<string, Locked>} */
function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages ?? {};
}
