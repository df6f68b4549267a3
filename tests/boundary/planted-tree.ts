import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of this repository. */
export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/** A throwaway tree with the real table, lint configuration and rules, and only the given sources. */
export interface PlantedTree {
  readonly root: string;
  remove(): void;
}

/**
 * Writes `files` (path from the root → text) into a new tree under the system's temporary folder. Its
 * node_modules is this repository's, unless the files bring their own.
 */
export function plantTree(files: Readonly<Record<string, string | Uint8Array>>): PlantedTree {
  const root = mkdtempSync(join(tmpdir(), 'sub-planted-'));
  for (const path of ['boundary.json', '.oxlintrc.json', 'package.json', 'tsconfig.base.json']) {
    cpSync(join(REPOSITORY, path), join(root, path));
  }
  for (const rules of ['scripts/boundary', 'scripts/prose']) {
    cpSync(join(REPOSITORY, rules), join(root, rules), { recursive: true });
  }
  const ownModules = Object.keys(files).some((path) => path.startsWith('node_modules/'));
  if (!ownModules) symlinkSync(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
