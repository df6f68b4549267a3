import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntryInput } from '@subluminal/ledger';
import { Run } from '@subluminal/gateway';
import type { BroughtSpool } from './ingest.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SpoolFolder } from './folder.js';
import { SpoolSweep, type SweepParts } from './sweep.js';

const SPOOL = `${'a'.repeat(22)}.1-1`;

let root: string;
let entries: EntryInput[];
let warned: string[];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sweep-'));
  entries = [];
  warned = [];
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

let taken: string[];
/** Keeps whoever takes in a spool waiting; undefined for nobody. */
let gate: Promise<void> | undefined;
let caughtUp: string[];
beforeEach(() => {
  taken = [];
  caughtUp = [];
  gate = undefined;
});

/** A sweep of a gateway in which these runs live. */
function sweep(runs: readonly Run[] = []): SpoolSweep {
  const parts: Omit<Record<keyof SweepParts, unknown>, 'folder'> & Pick<SweepParts, 'folder'> = {
    folder: new SpoolFolder(root),
    clock: () => 1,
    registry: { all: () => runs, has: (id: string) => runs.some((run) => run.id === id) },
    caughtUp: (run: Run) => caughtUp.push(run.id),
    ingestion: {
      ingest: async (run: Run, spool: BroughtSpool) => {
        await gate;
        taken.push(`${run.id} ${spool.text}`);
      },
    },
    recorder: {
      append: ({ entries: more }: { readonly entries: readonly EntryInput[] }) => {
        entries.push(...more);
        return Promise.resolve({ ok: true });
      },
    },
    log: { warn: (text: string) => warned.push(text) },
  };
  return new SpoolSweep(parts as SweepParts);
}

/** A start of a gateway in which no run lives. */
async function started(): Promise<void> {
  const swept = sweep();
  await swept.atStart();
  swept.start();
  await swept.settled();
}

function liveRun(id: string): Run {
  const identity = { agent_id: 'a', client: 'claude', env: 'dev' } as const;
  return new Run({ id, identity, attested: true, holder: { pid: 1, start: '1' }, startedMs: 1 });
}

/** So many spools of a run whose shims are gone. */
function leave(id: string, count: number): void {
  mkdirSync(join(root, id));
  for (let at = 0; at < count; at += 1) {
    const name = `${String(at).padStart(22, 'a')}.4194305-1`;
    writeFileSync(join(root, id, name), String(at), { mode: 0o600 });
  }
}

test('a gateway takes in so many spools before it listens, and the rest of a run holds up nobody but that run', async () => {
  const [small, large, last] = [liveRun('run-with-two'), liveRun('run-with-four'), liveRun('run-with-one')];
  leave(small.id, 2);
  leave(large.id, 4);
  leave(last.id, 1);
  const swept = sweep([small, large, last]);
  await swept.atStart(3);
  expect(taken).toEqual(['run-with-two 0', 'run-with-two 1', 'run-with-one 0']);
  expect([small.behind, last.behind, caughtUp]).toEqual([undefined, undefined, []]);
  expect(large.behind).toEqual({ isAwaited: false });
  swept.start();
  await swept.settled();
  expect(taken.slice(3)).toEqual([0, 1, 2, 3].map((at) => `run-with-four ${at}`));
  expect([large.behind, caughtUp]).toEqual([undefined, ['run-with-four']]);
});

test('of runs that are behind the one that asks for something comes first', async () => {
  const runs = ['run-that-sleeps', 'run-that-waits'].map(liveRun);
  for (const { id } of runs) leave(id, 1);
  const swept = sweep(runs);
  await swept.atStart(0);
  const [, asking] = runs;
  if (asking?.behind !== undefined) asking.behind.isAwaited = true;
  swept.start();
  await swept.settled();
  expect(taken).toEqual(['run-that-waits 0', 'run-that-sleeps 0']);
});

test('a gateway that stops takes in what is in hand, and leaves the run behind with the rest', async () => {
  const behind = liveRun('run-with-four');
  leave(behind.id, 4);
  const swept = sweep([behind]);
  await swept.atStart(0);
  let open = (): void => undefined;
  gate = new Promise((resolve) => {
    open = resolve;
  });
  swept.start();
  const stopped = swept.stop();
  open();
  await stopped;
  expect([taken, caughtUp]).toEqual([['run-with-four 0'], []]);
  expect(behind.behind).toEqual({ isAwaited: false });
});

test('a spool that cannot be taken in keeps none behind it from being charged', async () => {
  const behind = liveRun('run-with-three');
  leave(behind.id, 3);
  gate = Promise.reject(new Error('the ledger is full'));
  gate.catch(() => undefined);
  const swept = sweep([behind]);
  await swept.atStart();
  expect([taken, warned]).toEqual([[], Array(3).fill('spools could not be taken in')]);
});

test('a folder that is full of other files is not read to its end', () => {
  leave('run-with-many', 300);
  expect(new SpoolFolder(root).of('run-with-many')).toHaveLength(64);
});

test('what cannot be read keeps no gateway from starting, and no spool beside it from being told of', async () => {
  symlinkSync('run-looping', join(root, 'run-looping'));
  mkdirSync(join(root, 'run-that-ended'));
  writeFileSync(join(root, 'run-that-ended', SPOOL), '', { mode: 0o600 });
  await started();
  expect(warned).toEqual(['spools of a run that has ended stay']);
  expect(entries).toMatchObject([{ type: 'spool_ingested', data: { of_run: 'run-that-ended' } }]);
});

test('what is no private file is no spool: no entry tells of it, however often a gateway starts', async () => {
  mkdirSync(join(root, 'run-that-ended', SPOOL), { recursive: true });
  await started();
  await started();
  expect(entries).toEqual([]);
  expect(warned).toHaveLength(2);
});
