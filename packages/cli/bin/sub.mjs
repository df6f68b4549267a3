#!/usr/bin/env node
// The npm bin of `sub`: starts what `npm run build` wrote. The shim has a bundle of its own, which holds nothing else.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

if (!existsSync(fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url)))) {
  process.stderr.write('sub is not built yet\nhelp: run `npm run build` in the clone, then try again\n');
  process.exitCode = 1;
} else if (process.argv[2] === 'shim') {
  await import('../dist/shim-bundle/main.js');
} else {
  await import('../dist/bundle/main.js');
}
