// The real gateway's program, as the shim starts it, in a process that measures its own event loop. Each turn
// that took too long is a line in the file `long-turns` beside the home, which fails the test that removes
// the home.
import { appendFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { watchLoop, whyNoWatch } from './loop-watch.mjs';

const home = process.argv[process.argv.indexOf('--home') + 1];
const socket = join(home, 'run', 'gateway.sock');

/**
 * A start loads programs and opens databases in long turns. Nobody can wait for it until its socket is there.
 */
const listening = setInterval(() => {
  if ((statSync(socket, { throwIfNoEntry: false })?.ctimeMs ?? 0) < performance.timeOrigin) return;
  clearInterval(listening);
  watchLoop((turn) => appendFileSync(join(dirname(home), 'long-turns'), `${JSON.stringify(turn)}\n`));
}, 10).unref();
if (whyNoWatch() !== undefined) clearInterval(listening);

await import('../../packages/daemon/dist/bundle/gateway.js');
