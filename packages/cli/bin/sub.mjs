#!/bin/sh
//bin/sh -c :; case $1 in shim) exec node --max-semi-space-size=2 --single-threaded-gc "$0" "$@" ;; *) exec node "$0" "$@" ;; esac
// The npm bin of `sub`: starts what `npm run build` wrote. The shim has a bundle of its own, which holds
// nothing else. To sh the second line is a command that does nothing, and then node, which takes these
// options from its command line alone: a shim is beside every server, and with a small young generation keeps
// 25 MB less; collecting so little in one thread costs less than waking others. busybox knows no `env -S` in
// the first line.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Without a listener node opens its debugger on loopback, to every user of the machine, when it gets this
// signal.
process.on('SIGUSR1', () => undefined);

if (!existsSync(fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url)))) {
  process.stderr.write('sub is not built yet\nhelp: run `npm run build` in the clone, then try again\n');
  process.exitCode = 1;
} else if (process.argv[2] === 'shim') {
  await import('../dist/shim-bundle/main.js');
} else {
  await import('../dist/bundle/main.js');
}
