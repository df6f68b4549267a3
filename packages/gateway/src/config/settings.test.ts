import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SublError, type ErrorCode } from '@subluminal/core-types';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '../base/logger.js';
import { PolicyHolder } from '../policy/holder.js';
import { watchPolicy } from '../policy/watch.js';
import { Recorder } from '../recording/recorder.js';
import { PolicyStore } from '../store/policy-source.js';
import { SettingsStore } from '../store/settings-store.js';
import { configForm } from './form.js';
import { loadConfig, requireUsable } from './load.js';
import { Settings } from './settings.js';
import { memoryDb } from '../../testing/memory-db.js';

const LOOK_MS = 200;
const log = createLogger('error', [{ write: () => undefined }]);
const folders: string[] = [];

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));

afterEach(() => {
  vi.useRealTimers();
  for (const one of folders.splice(0)) rmSync(one, { recursive: true, force: true });
});

function fileIn(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sub-se-'));
  folders.push(folder);
  return join(folder, name);
}

/** A recorder over a ledger that fails with these codes, and takes everything after that. */
function failing(codes: ErrorCode[]) {
  const tried: string[] = [];
  const append = (group: { readonly entries: readonly { readonly type: string }[] }) => {
    tried.push(...group.entries.map(({ type }) => type));
    const code = codes.shift();
    if (code !== undefined) return Promise.reject(new SublError(code, 'no space left on the disk'));
    return Promise.resolve({ ok: true as const, entries: [] });
  };
  return { recorder: new Recorder({ append }, log), tried };
}

async function watched(codes: ErrorCode[]) {
  const file = { path: fileIn('config.toml'), form: configForm([]) };
  const { recorder, tried } = failing(codes);
  const store = new SettingsStore(memoryDb(), file.form.schema);
  const loaded = requireUsable(loadConfig(file));
  const settings = new Settings({ file, loaded, store, recorder, clock: () => 1, log });
  settings.start();
  await settings.reload();
  return { settings, tried, save: (text: string) => writeFileSync(file.path, text, { mode: 0o600 }) };
}

it.each<ErrorCode>(['audit_unavailable', 'overloaded'])(
  'settings whose entry fails once with `%s` are in force after the next look',
  async (code) => {
    const { settings, tried, save } = await watched([code]);
    save('[egress]\nmode = "enforce"\n');
    await vi.advanceTimersByTimeAsync(2 * LOOK_MS);
    expect(settings.now.egress.mode).toBe('observe');
    expect(settings.state['error']).toMatchObject({ code: 'audit_unavailable' });
    await vi.advanceTimersByTimeAsync(LOOK_MS);
    expect(settings.now.egress.mode).toBe('enforce');
    expect(settings.state['error']).toBeNull();
    await vi.advanceTimersByTimeAsync(100 * LOOK_MS);
    expect(tried).toEqual(['settings_loaded', 'settings_loaded']);
    settings.stop();
  },
);

it('settings whose entry goes on failing are tried more and more seldom, and a file that is saved at once', async () => {
  const { settings, tried, save } = await watched(
    Array.from({ length: 12 }, () => 'audit_unavailable' as const),
  );
  save('[egress]\nmode = "enforce"\n');
  await vi.advanceTimersByTimeAsync(100 * LOOK_MS);
  // At the looks 2, 3, 5, 8, 13, 22, 39, 56, 73 and 90.
  expect(tried).toHaveLength(10);
  save('[egress]\nmode = "enforce"\nmax_redirects = 1\n');
  await vi.advanceTimersByTimeAsync(2 * LOOK_MS);
  expect(tried).toHaveLength(11);
  await vi.advanceTimersByTimeAsync(4 * LOOK_MS);
  expect(settings.now.egress).toMatchObject({ mode: 'enforce', max_redirects: 1 });
  expect(tried).toHaveLength(13);
  settings.stop();
});

it('settings with a mistake are read once', async () => {
  const { settings, tried, save } = await watched([]);
  save('[egress]\nmode = "open-sesame"\n');
  await vi.advanceTimersByTimeAsync(2 * LOOK_MS);
  const { error } = settings.state;
  expect(error).toMatchObject({ code: 'config_invalid' });
  const read = vi.spyOn(settings, 'reload');
  await vi.advanceTimersByTimeAsync(20 * LOOK_MS);
  expect(read).not.toHaveBeenCalled();
  expect(tried).toEqual(['settings_refused']);
  settings.stop();
});

it('a policy whose entry fails once decides after the next look', async () => {
  const path = fileIn('policy.yaml');
  const codes: ErrorCode[] = [];
  const { recorder, tried } = failing(codes);
  const store = new PolicyStore(memoryDb());
  const acceptance = { accept: 'file', signers: [] } as const;
  const holder = new PolicyHolder({ path, store, recorder, clock: () => 1, log, acceptance });
  await holder.start();
  const watch = watchPolicy(path, holder, log);
  watch.start();
  codes.push('audit_unavailable');
  const head = 'policy_id: t\nversion: "2"\nmode: guardrails\n';
  writeFileSync(path, `${head}defaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n`, {
    mode: 0o600,
  });
  await vi.advanceTimersByTimeAsync(2 * LOOK_MS);
  expect(holder.failure?.code).toBe('audit_unavailable');
  await vi.advanceTimersByTimeAsync(LOOK_MS);
  expect([holder.current.source, holder.failure]).toEqual(['file', undefined]);
  expect(tried).toEqual(['policy_loaded', 'policy_loaded', 'policy_loaded']);
  watch.stop();
});
