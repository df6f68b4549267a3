#!/usr/bin/env node
// The npm bin of `sub`: starts the bundle that `npm run build` wrote.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const bundle = new URL('../dist/bundle/main.js', import.meta.url);

if (existsSync(fileURLToPath(bundle))) {
  await import('../dist/bundle/main.js');
} else {
  process.stderr.write('sub is not built yet\nhelp: run `npm run build` in the clone, then try again\n');
  process.exitCode = 1;
}
