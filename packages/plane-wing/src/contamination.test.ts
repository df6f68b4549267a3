import SqliteDatabase from 'better-sqlite3';
import { type JsonObject, numberAt, textAt } from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import { fold } from '@subluminal/plane';
import { describe, expect, it } from 'vitest';
import { Plane } from './plane.js';

const SESSIONS = 80;
/** A phase takes so many calls by itself, and half of them for an agent that was told something. */
const NATURAL = 24;
const PHASES = ['read', 'edit', 'test'] as const;

const COMMANDS = {
  read: (at: number) => `cat src/a/f${at}.ts`,
  edit: (at: number) => `sed -i s/a/b/ src/a/f${at}.ts`,
  test: (at: number) => `npm test -- ${at}`,
} as const;

const QUIET = { error: noted, warn: noted, info: noted, debug: noted };

function noted(): void {
  // Nobody reads the log of a simulation.
}

type Mode = 'observe' | 'steer';

/** A plane as it is live, on a record that is thrown away. */
class Simulation {
  readonly plane: Plane;
  steers = 0;
  #now = 1_700_000_000_000;
  #seq = 0;

  constructor(mode: Mode, folds: typeof fold) {
    const db = new SqliteDatabase(':memory:');
    db.exec('CREATE TABLE plane(key TEXT PRIMARY KEY, kept TEXT NOT NULL, used_ms INTEGER NOT NULL)');
    this.plane = new Plane({
      db,
      recorder: { append: () => Promise.resolve({ ok: true, entries: [] }) },
      openReader: () => {
        throw new Error('nothing is to be read again');
      },
      settings: () => ({ low: mode, ordinary: mode, protected: mode, directors: [] }),
      gateEffect: () => 'no_rule',
      folderOf: () => '/srv/app',
      namedAgentOf: () => undefined,
      isAlive: () => true,
      ledgerId: 'ledger',
      clock: () => this.#now,
      monotonic: () => 0,
      log: QUIET,
      fold: folds,
    });
    this.plane.begin(0);
  }

  /** One session, whose agent hurries in the phase behind a text. */
  async work(name: string): Promise<void> {
    let call = 0;
    let isTold = false;
    for (let phase = 0; phase < 9; phase += 1) {
      const kind = PHASES[phase % 3] ?? 'read';
      const length = (NATURAL + (phase % 5)) / (isTold ? 2 : 1);
      isTold = false;
      for (let at = 0; at < length; at += 1)
        isTold = this.#call(name, (call += 1), COMMANDS[kind](at)) || isTold;
      this.#hook(name, 'UserPromptSubmit');
    }
    for (let turn = 0; turn < 120; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  /** The usual number of calls of a window, by kind of task: of those that were seen often enough. */
  learnt(): Readonly<Record<string, number>> {
    const rows = this.plane.learnt().filter((row) => (numberAt(row, 'windows') ?? 0) >= 20);
    return Object.fromEntries(
      rows.map((row) => [`${textAt(row, 'task')} ${textAt(row, 'mix')}`, numberAt(row, 'actions') ?? 0]),
    );
  }

  /** Whether its agent was told something at the end of it. */
  #call(session: string, at: number, command: string): boolean {
    this.#now += 10_000;
    const id = `${session}-${at}`;
    const context = { session, tool_use_id: id };
    const named = { call: { call_id: id } };
    const preview = { 'call.preview.args_preview': JSON.stringify({ command }) };
    this.#take(session, 'tool_call_start', { call: { call_id: id, via: 'claude_hook', context } }, preview);
    this.#take(session, 'tool_call_decision', named);
    const of = { via: 'claude_hook', session_id: session, tool_use_id: id, status: 'OK' } as const;
    const given = this.plane.context(session, of);
    this.#take(session, 'tool_call_end', named);
    if (given !== undefined) this.steers += 1;
    return given !== undefined;
  }

  #hook(session: string, event: string): void {
    this.#now += 10_000;
    this.#take(session, 'hook_event', { hook: { via: 'claude_hook', session, event }, facts: {} });
  }

  #take(runId: string, type: EntryInput['type'], data: JsonObject, blobs: Record<string, string> = {}): void {
    this.#seq += 1;
    const tool = ['claude:builtin', 'Bash'] as const;
    const entry: EntryInput = { type, ts: this.#now, runId, tool, data, blobs };
    this.plane.take([
      { seq: this.#seq, entry: type === 'tool_call_decision' ? { ...entry, code: 'ALLOW' } : entry },
    ]);
  }
}

async function simulated(mode: Mode, folds: typeof fold = fold): Promise<Simulation> {
  const simulation = new Simulation(mode, folds);
  for (let at = 0; at < SESSIONS; at += 1) await simulation.work(`s-${at}`);
  expect(simulation.plane.status()).toMatchObject({ failed: 0, lost: 0 });
  return simulation;
}

/** As if there were no hold-out: everybody is steered, and learnt from. */
const withoutHoldOut: typeof fold = (state, event, settings) => {
  const folded = fold({ ...state, isHeldOut: false }, event, settings);
  return {
    ...folded,
    entries: folded.entries.map((entry) =>
      entry.type === 'plane.window' && entry.what === 'closed' ? { ...entry, held_out: true } : entry,
    ),
  };
};

describe('baselines of the live plane', { timeout: 120_000 }, () => {
  it('are with steering what they are without it, and would be half as long if steered windows counted', async () => {
    const [alone, steered, taken] = [
      await simulated('observe'),
      await simulated('steer'),
      await simulated('steer', withoutHoldOut),
    ];
    console.info(JSON.stringify({ alone: alone.learnt(), steered: steered.learnt(), taken: taken.learnt() }));
    console.info(`steers: ${alone.steers}, ${steered.steers}, ${taken.steers}`);
    expect([alone.steers, steered.steers > 100, taken.steers > steered.steers]).toEqual([0, true, true]);
    const kinds = Object.keys(alone.learnt());
    expect(kinds.length).toBeGreaterThanOrEqual(3);
    expect(steered.learnt()).toEqual(alone.learnt());
    for (const kind of kinds) expect(taken.learnt()[kind]).toBeLessThan((alone.learnt()[kind] ?? 0) * 0.75);
  });
});
