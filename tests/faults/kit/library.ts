import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BUILD = fileURLToPath(new URL('build.mjs', import.meta.url));

/** The library of `faults.c`, or why there is none on this machine. */
export type FaultLibrary = { readonly path: string } | { readonly missing: string };

/**
 * Compiles the library unless that has been done. Where it cannot be, tests are skipped with the reason in
 * their name.
 */
export function buildFaultLibrary(): FaultLibrary {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUILD], { encoding: 'utf8' });
  return status === 0 ? { path: stdout.trim() } : { missing: stderr.trim() };
}
