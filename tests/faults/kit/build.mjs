// Compiles the library of faults.c, once for each of its versions, and prints where it lies. Exit code 1 and
// a reason on standard error where that is not possible. `LD_PRELOAD=$(node tests/faults/kit/build.mjs)
// SLOWSYNC_US=2000 node …` runs a program on a disk whose syncs take two milliseconds longer.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, 'faults.c');
const folder = join(here, '../../../node_modules/.cache/faults');

if (process.platform === 'linux') build();
else fail('the library stands before the calls of Linux');

function build() {
  const name = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 16);
  const library = join(folder, `${name}.so`);
  if (!existsSync(library)) {
    mkdirSync(folder, { recursive: true });
    const draft = `${library}.${process.pid}`;
    const flags = ['-shared', '-fPIC', '-O2', '-Wall', '-Werror', '-o', draft, source, '-ldl', '-lpthread'];
    const done = spawnSync('cc', flags, { encoding: 'utf8' });
    if (done.error !== undefined) return fail(`there is no C compiler (${done.error.message})`);
    if (done.status !== 0) return fail(`cc does not compile the library: ${done.stderr}`);
    renameSync(draft, library);
  }
  process.stdout.write(`${library}\n`);
}

/** @param {string} why */
function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exitCode = 1;
}
