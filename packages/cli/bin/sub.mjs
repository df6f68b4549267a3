#!/bin/sh
//bin/sh -c :; case $1 in shim) exec node --max-semi-space-size=2 --single-threaded-gc --heap-growing-percent=50 "$0" "$@" ;; *) exec node "$0" "$@" ;; esac
// The npm bin of `sub`: starts what `npm run build` wrote. The shim has a bundle of its own, which holds
// nothing else. To sh the second line is a command that does nothing, and then node, which takes these
// options from its command line alone: a shim is beside every server, and with a small young generation keeps
// 25 MB less; collecting so little in one thread costs less than waking others. busybox knows no `env -S` in
// the first line. A Node that is too old has to read this file, too: nothing here is newer than Node 15.
import { existsSync, readFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';

// Without a listener node opens its debugger on loopback, to every user of the machine, when it gets this
// signal.
process.on('SIGUSR1', () => undefined);

const trouble = existsSync(fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url)))
  ? (nodeTooOld() ?? noAccount())
  : 'sub is not built yet\nhelp: run `npm run build` in the clone, then try again\n';
if (trouble !== undefined) {
  process.stderr.write(trouble);
  process.exitCode = 1;
} else if (process.argv[2] === 'shim') {
  await import('../dist/shim-bundle/main.js');
} else {
  await import('../dist/bundle/main.js');
}

/** Before anything is loaded: SQLite's add-on of the package ends an older Node without a word. */
function nodeTooOld() {
  const manifest = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const least = manifest.engines.node.slice('>='.length);
  const [major, minor = 0] = least.split('.').map(Number);
  const [ours, oursMinor] = process.versions.node.split('.').map(Number);
  if (ours > major || (ours === major && oursMinor >= minor)) return undefined;
  return `error[node_too_old]: this is Node ${process.versions.node}, and \`sub\` needs ${least} or newer\nhelp: install Node ${major} or newer, and \`sub\` again under it\n`;
}

/** A container may run as a number that is nobody: the system alone says whose home a gateway serves. */
function noAccount() {
  try {
    userInfo();
    return undefined;
  } catch {
    const uid = process.getuid === undefined ? '' : ` \`${process.getuid()}\``;
    return `error[user_unknown]: the system knows no user${uid}, whose home \`sub\` would be in\nhelp: give it a line in /etc/passwd (in a container: \`useradd\` in its image), or run as another user\n`;
  }
}
