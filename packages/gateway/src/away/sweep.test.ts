import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntryInput } from '@subluminal/ledger';
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

/** A sweep of a gateway in which no run lives. */
function sweep(): SpoolSweep {
  const parts: Pick<SweepParts, 'folder' | 'clock'> & Record<'registry' | 'recorder' | 'log', unknown> = {
    folder: new SpoolFolder(root),
    clock: () => 1,
    registry: { live: () => undefined },
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

test('what cannot be read keeps no gateway from starting, and no spool beside it from being told of', async () => {
  symlinkSync('run-looping', join(root, 'run-looping'));
  mkdirSync(join(root, 'run-that-ended'));
  writeFileSync(join(root, 'run-that-ended', SPOOL), '', { mode: 0o600 });
  await sweep().atStart();
  expect(warned).toEqual(['spools of a run that has ended stay']);
  expect(entries).toMatchObject([{ type: 'spool_ingested', data: { of_run: 'run-that-ended' } }]);
});

test('what is no private file is no spool: no entry tells of it, however often a gateway starts', async () => {
  mkdirSync(join(root, 'run-that-ended', SPOOL), { recursive: true });
  await sweep().atStart();
  await sweep().atStart();
  expect(entries).toEqual([]);
  expect(warned).toHaveLength(2);
});
