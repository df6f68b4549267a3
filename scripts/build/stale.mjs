// A compiler leaves the output of a source that is gone. Tests resolve to it, and an import of a path that
// moved passes here and fails on a clean clone.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const COMPILED = /\.(?:js|d\.ts)(?:\.map)?$/;
/** These folders are written by the bundler and the copy of the policies, which clear them themselves. */
const OTHERS = /^(?:bundle|shim-bundle|policies)[/\\]/;

/**
 * Removes the compiled files whose source is gone. Returns how many went.
 * @param {string} root
 * @param {readonly string[]} packages names of folders in `packages`
 * @returns {number}
 */
export function removeStale(root, packages) {
  let removed = 0;
  for (const name of packages) {
    const dist = join(root, 'packages', name, 'dist');
    if (!existsSync(dist)) continue;
    for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
      const path = relative(dist, join(entry.parentPath, entry.name));
      if (!entry.isFile() || !COMPILED.test(path) || OTHERS.test(path)) continue;
      if (existsSync(join(root, 'packages', name, 'src', path.replace(COMPILED, '.ts')))) continue;
      rmSync(join(dist, path));
      removed += 1;
    }
  }
  return removed;
}
