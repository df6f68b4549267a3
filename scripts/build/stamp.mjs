// A fingerprint of everything that a build reads, so that an unchanged tree is not built again.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const STAMP = 'node_modules/.cache/subluminal-build.json';
const SINGLE_INPUTS = ['package.json', 'package-lock.json', 'tsconfig.base.json', 'scripts/build.mjs'];

/**
 * Hash over path, size and modification time of every input, and the Node that ran.
 * @param {string} root
 * @returns {string}
 */
export function fingerprint(root) {
  const hash = createHash('sha256').update(process.version);
  for (const file of inputs(root)) {
    const { size, mtimeMs } = statSync(join(root, file));
    hash.update(`\n${file} ${size} ${mtimeMs}`);
  }
  return hash.digest('hex');
}

/**
 * Whether the last build had this fingerprint and its outputs still stand.
 * @param {string} root
 * @param {string} print
 * @returns {boolean}
 */
export function isCurrent(root, print) {
  const file = join(root, STAMP);
  if (!existsSync(file)) return false;
  const stamp = JSON.parse(readFileSync(file, 'utf8'));
  return (
    stamp.print === print && stamp.outputs.every((/** @type {string} */ path) => existsSync(join(root, path)))
  );
}

/** @param {string} root @param {string} print @param {readonly string[]} outputs paths from the root */
export function recordBuild(root, print, outputs) {
  const file = join(root, STAMP);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ print, outputs }));
}

/** @param {string} root @returns {string[]} */
function inputs(root) {
  const found = SINGLE_INPUTS.filter((file) => existsSync(join(root, file)));
  for (const name of readdirSync(join(root, 'packages'))) {
    const folder = `packages/${name}`;
    found.push(
      ...[`${folder}/package.json`, `${folder}/tsconfig.json`].filter((file) => existsSync(join(root, file))),
    );
    found.push(...filesBelow(root, `${folder}/src`));
  }
  const others = ['scripts/build', 'policies', 'packages/ui/page'];
  found.push(...others.flatMap((folder) => filesBelow(root, folder)));
  return found.toSorted();
}

/** @param {string} root @param {string} folder @returns {string[]} */
function filesBelow(root, folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
}
