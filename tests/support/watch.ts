import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach } from 'vitest';
import { type LongTurn, MOST_MS, watchLoop, whyNoWatch } from './loop-watch.mjs';

const why = whyNoWatch();
if (why !== undefined) process.stdout.write(`turns of the event loop are not measured: ${why}\n`);

/**
 * The gateway's program in a process that measures its event loop. It starts, and takes commands, as the
 * program itself does.
 */
export const WATCHED_GATEWAY = fileURLToPath(new URL('watched-gateway.js', import.meta.url));

/** Throws where a watched gateway, whose home stands in `root`, held its event loop for too long. */
export function assertNoLongTurn(root: string): void {
  const file = join(root, 'long-turns');
  if (!existsSync(file)) return;
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  throw tooLong(lines.map((line) => JSON.parse(line) as LongTurn));
}

/**
 * Watches a file whose gateways run in the tests' own process: a test fails when a turn of the event loop
 * took too long in it.
 */
export function watchEachTest(): void {
  if (why !== undefined) return;
  let turns: LongTurn[] = [];
  let watch = { stop: (): void => undefined };
  beforeEach(() => {
    turns = [];
    watch = watchLoop((turn) => turns.push(turn));
  });
  afterEach(() => {
    watch.stop();
    if (turns.length > 0) throw tooLong(turns);
  });
}

function tooLong(turns: readonly LongTurn[]): Error {
  const said = turns.map(({ ms, collectedMs }) => `${ms} ms (and ${collectedMs} ms of collecting)`);
  return new Error(
    `a turn of the gateway's event loop took more than ${MOST_MS} ms of the processor: ${said.join(', ')}`,
  );
}
