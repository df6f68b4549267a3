import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createLogger } from '../base/logger.js';
import { Recorder } from '../recording/recorder.js';
import { PolicyStore } from '../store/policy-source.js';
import { PolicyHolder } from './holder.js';
import { memoryDb } from '../../testing/memory-db.js';

const folders: string[] = [];

afterEach(() => {
  for (const one of folders.splice(0)) rmSync(one, { recursive: true, force: true });
});

it('a policy that is recorded is in force, also when it cannot be kept for the next start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sub-ph-'));
  folders.push(folder);
  const path = join(folder, 'policy.yaml');
  const db = memoryDb();
  const lines: string[] = [];
  const log = createLogger('error', [{ write: (line) => void lines.push(line) }]);
  const recorded: string[] = [];
  const append = (group: { readonly entries: readonly { readonly type: string }[] }) => {
    recorded.push(...group.entries.map(({ type }) => type));
    return Promise.resolve({ ok: true as const, entries: [] });
  };
  const recorder = new Recorder({ append }, log);
  const holder = new PolicyHolder({
    path,
    store: new PolicyStore(db),
    recorder,
    clock: () => 1,
    log,
    acceptance: { accept: 'file', signers: [] },
  });
  await holder.start();
  writeFileSync(
    path,
    'policy_id: t\nversion: "2"\nmode: guardrails\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n',
    { mode: 0o600 },
  );
  db.pragma('query_only=ON');
  expect(await holder.reload({ asked: true })).toBe(true);
  expect(recorded).toEqual(['policy_loaded', 'policy_loaded']);
  expect([holder.current.source, holder.current.ref.policy_version, holder.failure]).toEqual([
    'file',
    '2',
    undefined,
  ]);
  expect(lines.join('')).toContain('not kept for the next start');
});
