import { readFileSync } from 'node:fs';
import { SublError, shellQuoted as quoted } from '@subluminal/core-types';
import { isMissing, type HomePaths } from '@subluminal/ipc';
import type { Routing } from '../clients/client.js';
import { replaceFile } from '../files/replace.js';
import type { Session } from '../program/session.js';

/** How clients start `sub`: see `Routing`. */
export type Start = Pick<Routing, 'node' | 'program'>;

/**
 * How a client of this home is to start `sub`, and keeps it so: its files name the launcher, which outlives
 * the version of Node, and the folder, that `sub` is in now. Windows has no shell for one, and starts node.
 * Throws `failed` for a copy that `npx` removes again, which would take every server with it.
 */
export function clientStart(home: HomePaths, { program }: Session, isDry: boolean): Start {
  if (isFleeting(program))
    throw new SublError(
      'failed',
      `\`${program}\` is a copy that \`npx\` may remove, and clients would name it`,
      {
        help: 'install `sub` first: `npm install -g`, as the readme says',
      },
    );
  if (process.platform === 'win32') return { node: process.execPath, program };
  if (!isDry) keepLauncher(home, program);
  return { node: home.launcher, program: undefined };
}

/** Leads the launcher of the home to this `sub`. */
export function keepLauncher(home: HomePaths, program: string): void {
  if (isLauncherOurs(home, program)) return;
  const bytes = Buffer.from(launcherText(process.execPath, program));
  replaceFile(home.launcher, `${home.launcher}.${process.pid}`, { bytes, mode: 0o700 });
}

/** Whether it leads to this `sub`. Windows has none, and none is led to a fleeting copy. */
export function isLauncherOurs(home: HomePaths, program: string): boolean {
  if (process.platform === 'win32' || isFleeting(program)) return true;
  return textOf(home.launcher) === launcherText(process.execPath, program);
}

/** The text of a launcher; undefined if there is none. */
export function textOf(launcher: string): string | undefined {
  try {
    return readFileSync(launcher, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isFleeting(program: string): boolean {
  return /[/\\]_npx[/\\]/.test(program);
}

/**
 * The launcher, for `sh`. Managers of Node keep each version in a folder of its own, and packages with it:
 * if both went with it, the last version beside it takes their place that has them. Nothing of the
 * environment is asked.
 */
export function launcherText(node: string, program: string): string {
  return `#!/bin/sh
# Written by \`sub up\`, \`sub import\` and \`sub hooks install\`: clients start \`sub\` by this file.
node=${quoted(node)}
sub=${quoted(program)}
there() { [ -x "$node" ] && [ -f "$sub" ]; }
${otherVersions(node, program)}there || { echo ${quoted(GONE)} >&2; exit 127; }
case $1 in shim) exec "$node" --max-semi-space-size=2 --single-threaded-gc --heap-growing-percent=50 "$sub" "$@" ;; esac
exec "$node" "$sub" "$@"
`;
}

const GONE =
  'subluminal: `sub`, or the Node it was installed with, is gone: install it again, then run `sub up`';

/** The search beside a folder that is named by a version; nothing if node is in no such folder. */
function otherVersions(node: string, program: string): string {
  const [, versions, version, inside] = /^(.*)\/(v?[0-9]+\.[0-9]+\.[0-9]+[^/]*)(\/.*)$/.exec(node) ?? [];
  if (versions === undefined || inside === undefined) return '';
  const own = `${versions}/${version}/`;
  const sub = program.startsWith(own)
    ? `"$version"${quoted(program.slice(own.length - 1))}`
    : quoted(program);
  // Only a folder that is named as this one is: a neighbour of another name is nobody's version of Node.
  const like = version?.startsWith('v') === true ? 'v[0-9]*' : '[0-9]*';
  return `there || for version in ${quoted(versions)}/${like}; do
  if [ -x "$version"${quoted(inside)} ] && [ -f ${sub} ]; then node=$version${quoted(inside)} sub=${sub}; fi
done
`;
}
