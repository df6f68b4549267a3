// Imported by each process of the tests before all else. A gateway that a test runs in its own process takes
// its ledger's worker from what `tsc` wrote, and each thread would load three hundred files: four times what
// the rest of a start costs. Here the thread runs the one file that `programs.ts` makes of them, as it does
// beside the gateway that is shipped.
import { syncBuiltinESMExports } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import threads from 'node:worker_threads';

const WRITTEN = new URL('../../packages/ledger/dist/writer/worker-main.js', import.meta.url).href;
const BUNDLED = pathToFileURL(
  fileURLToPath(new URL('../../node_modules/.cache/subluminal-tests/worker-main.js', import.meta.url)),
);

const { Worker } = threads;
threads.Worker = class extends Worker {
  /** @param {string | URL} program @param {import('node:worker_threads').WorkerOptions} [options] */
  constructor(program, options) {
    super(program instanceof URL && program.href === WRITTEN ? BUNDLED : program, {
      execArgv: [],
      ...options,
    });
  }
};
syncBuiltinESMExports();
