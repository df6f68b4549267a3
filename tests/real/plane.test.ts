import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { numberAt, textAt } from '@subluminal/core-types';
import { openLedgerReader, type LedgerRow } from '@subluminal/ledger';
import { isHeldOut } from '@subluminal/plane';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runClaude, writeConfig as writeClaude } from './claude.js';
import { describeWith } from './client.js';
import { runCodex, writeConfig as writeCodex } from './codex.js';
import { PINS } from './fetch.mjs';
import { openStage, type Stage } from './stage.js';

const WORK = 'rrrrrrreeee';
const BEGIN = 'Subluminal, from the record: A stretch of work ended here';

/** The commands of a session that looks around, and then changes files. */
const COMMANDS = Array.from(WORK, (letter, at) =>
  letter === 'r' ? `cat src/f${at}.txt` : `sed -i s/a/b${at}/ src/f${at}.txt`,
);

async function opened(): Promise<Stage> {
  const stage = await openStage();
  mkdirSync(join(stage.project, 'src'), { recursive: true });
  for (const at of COMMANDS.keys()) writeFileSync(join(stage.project, `src/f${at}.txt`), 'a');
  appendFileSync(join(stage.sub.home, 'config.toml'), '\n[plane]\nordinary = "steer"\n', { mode: 0o600 });
  return stage;
}

function rowsOf(stage: Stage): readonly LedgerRow[] {
  const reader = openLedgerReader(stage.sub.ledger);
  const { rows } = reader.all({ order: 'asc', limit: 1000 });
  reader.close();
  return rows;
}

/** Where in the model's requests the text of the steer stands, and behind which call it was given. */
function steered(stage: Stage, session: string): { readonly told: readonly number[]; readonly call: number } {
  const rows = rowsOf(stage);
  const steers = rows.filter(
    ({ data, type }) => type === 'plane.steer' && textAt(data, 'of', 'session') === session,
  );
  expect(steers).toHaveLength(1);
  const event = numberAt(steers[0]?.data ?? {}, 'of', 'event');
  const calls = rows.filter(
    ({ data, type }) => type === 'tool_call_start' && textAt(data, 'call', 'context', 'session') === session,
  );
  const told = stage.model.asked.map((request) => JSON.stringify(request).split(BEGIN).length - 1);
  return { told, call: calls.findIndex(({ seq }) => seq === event) };
}

/** The request behind that call has its result and the text, once; the ones after it have it as the past. */
function expectTold(told: readonly number[], call: number): void {
  const first = told.findIndex((count) => count > 0);
  // Some clients ask their model for more than the steps of the script.
  const others = told.length - (COMMANDS.length + 1);
  expect(first - others).toBe(call + 1);
  expect(told.slice(first).every((count) => count === 1)).toBe(true);
}

describeWith(PINS.claude, 'at a boundary of its work', ({ program }) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await opened();
    writeClaude(stage);
    mkdirSync(join(stage.user, '.claude'), { recursive: true });
    expect(await stage.runSub('hooks', 'install', 'claude')).toMatchObject({ code: 0 });
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it('has the steer in the request of its model that follows, and in none before', async () => {
    const session = sessionId(stage, 'claude_hook');
    stage.model.play([
      ...COMMANDS.map((command) => ({ calls: [{ tool: 'Bash', input: { command } }] })),
      { text: 'finished' },
    ]);
    const flags = ['--permission-mode', 'bypassPermissions', '--session-id', session];
    expect(await runClaude(stage, program, [], flags)).toMatchObject({ code: 0 });
    const { call, told } = steered(stage, session);
    expectTold(told, call);
  });
});

describeWith(PINS.codex, 'at a boundary of its work', ({ program }) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await opened();
    writeCodex(stage);
    expect(await stage.runSub('hooks', 'install', 'codex')).toMatchObject({ code: 0 });
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it('has the steer in the request of its model that follows, and in none before', async () => {
    // It names its sessions itself: one in five is of the hold-out, and is played again.
    for (let turn = 0; turn < 6; turn += 1) {
      stage.model.play([
        ...COMMANDS.map((cmd) => ({ calls: [{ tool: 'exec_command', input: { cmd } }] })),
        { text: 'finished' },
      ]);
      expect(await runCodex(stage, program)).toMatchObject({ code: 0 });
      const skipped = rowsOf(stage).filter(({ data }) => textAt(data, 'reason') === 'held_out');
      if (skipped.length > turn) continue;
      const [steer] = rowsOf(stage).filter(({ type }) => type === 'plane.steer');
      const { call, told } = steered(stage, textAt(steer?.data ?? {}, 'of', 'session'));
      expectTold(told, call);
      return;
    }
    throw new Error('six sessions of six were of the hold-out');
  });
});

/** An id of a session that may be steered. */
function sessionId(stage: Stage, client: string): string {
  const reader = openLedgerReader(stage.sub.ledger);
  const { ledgerId } = reader.genesis;
  reader.close();
  for (;;) {
    const session = randomUUID();
    if (!isHeldOut({ client, session, repository: '', agent: '' }, 5, ledgerId)) return session;
  }
}
