import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@subluminal/core-types';
import { openLedgerReader, type LedgerRow } from '@subluminal/ledger';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { breaker, budget, bundle, dedupe, deny } from '../gateway/policy-bundle.js';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub } from '../harness/resident.js';
import { shimCommand, SUB } from '../harness/sub.js';
import { programOf } from '../support/programs.js';

const AGENT = programOf('agents-agent');
const SERVER = fileURLToPath(new URL('fixtures/notes-server.mjs', import.meta.url));

/** What the agent prints of one call. */
const Outcome = z.looseObject({
  text: z.string().optional(),
  code: z.number().nullable().optional(),
  message: z.string().optional(),
  subluminal: z
    .looseObject({ action: z.string(), reason_code: z.string(), args_hash: z.string() })
    .optional(),
});
type Outcome = z.infer<typeof Outcome>;

let home: TestHome;
afterEach(() => home.remove(), 60_000);

function makeHome(policy: string): void {
  home = createHome({ policy });
}

const log = (): string => join(home.root, 'notes.log');
const sent = (): string => join(home.root, 'sent.log');
const policyFile = (): string => join(home.home, 'policy.yaml');

/** An agent below `sub run`, whose tools come through `sub shim`; it goes on in each of the `ways`. */
async function agent(ways: readonly object[], env: Record<string, string> = {}): Promise<Outcome[][]> {
  const command = shimCommand(home.home, 'notes', [process.execPath, SERVER], ['NOTES_LOG']);
  const settings = { command, ways, sent: sent(), env: { ...pathOnly(), NOTES_LOG: log(), ...env } };
  const ran = await runSub(
    ['run', '--home', home.home, '--', process.execPath, AGENT, JSON.stringify(settings)],
    { timeoutMs: 120_000 },
  );
  if (ran.stdout === '') throw new Error(ran.stderr);
  return z.array(z.array(Outcome)).parse(JSON.parse(ran.stdout));
}

/** What a client that scrubs its environment leaves: no run, no agent. */
function pathOnly(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '' };
}

const word = ({ text, subluminal, code }: Outcome): string =>
  text === undefined ? `${subluminal?.action ?? code} ${subluminal?.reason_code ?? ''}`.trim() : 'done';

function counted(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[word(outcome)] = (counts[word(outcome)] ?? 0) + 1;
  return counts;
}

function rows(type: LedgerRow['type']): LedgerRow[] {
  const reader = openLedgerReader(home.ledger);
  const found: LedgerRow[] = [];
  for (let cursor: number | null = null; ;) {
    const page: ReturnType<typeof reader.byType> = reader.byType(type, { order: 'asc', limit: 1000, cursor });
    found.push(...page.rows);
    cursor = page.next;
    if (cursor === null) break;
  }
  reader.close();
  return found;
}

/** The calls of a tool that reached the server. */
function reached(name: string): number {
  const lines = readFileSync(log(), 'utf8').trim().split('\n');
  const messages = lines.map((line): JsonObject => JSON.parse(line));
  return messages.filter(
    ({ method, params }) => method === 'tools/call' && (params as JsonObject)['name'] === name,
  ).length;
}

const read = { name: 'read_note', args: { name: 'a' } };

describe('an agent that makes the same call a thousand times', { timeout: 180_000 }, () => {
  const loop = { way: 'loop', ...read, times: 1000 };

  it('is stopped by a breaker as soon as it repeats itself, and stays stopped while it does', async () => {
    makeHome(bundle([breaker('loop', '*', { repeat_threshold: 5 })]));
    const [outcomes = []] = await agent([loop]);
    const counts = counted(outcomes);
    expect(outcomes).toHaveLength(1000);
    expect(counts['BLOCK BREAKER_REPEATS']).toBe(1000 - (counts['done'] ?? 0));
    expect(counts['done']).toBeGreaterThan(0);
    expect(counts['done']).toBeLessThanOrEqual(5);
    expect(reached('read_note')).toBe(counts['done']);
    expect(rows('breaker_trip')).toHaveLength(1);
  });

  it('gets what its budget holds, also with eight at once, and not one more', async () => {
    makeHome(bundle([budget('fifty', '*', 50)]));
    const [outcomes = []] = await agent([{ ...loop, atOnce: 8 }]);
    expect(counted(outcomes)).toEqual({ done: 50, 'BLOCK BUDGET_EXCEEDED': 950 });
    expect(reached('read_note')).toBe(50);
  });

  it('loses its run where the policy says so, and every call after that', async () => {
    makeHome(bundle([breaker('loop', '*', { repeat_threshold: 5, on_trip: 'TERMINATE_RUN' })]));
    const [outcomes = [], next = []] = await agent([loop, { way: 'each', calls: [read] }]);
    const counts = counted(outcomes);
    expect(counts['done']).toBeLessThanOrEqual(5);
    expect(reached('read_note')).toBe(counts['done']);
    expect(counts['TERMINATE_RUN BREAKER_REPEATS']).toBeGreaterThan(0);
    // Another server of the same agent gets no run either.
    expect(next.every(({ text }) => text === undefined)).toBe(true);
    expect(rows('run_end').map(({ code }) => code)).toEqual(['TERMINATED']);
  });

  it('and whose tool fails is stopped by a breaker of errors', async () => {
    makeHome(bundle([breaker('errors', '*', { error_threshold: 4 })]));
    const [outcomes = []] = await agent([{ way: 'loop', name: 'fail', args: {}, times: 100 }]);
    expect(counted(outcomes)).toEqual({ done: 4, 'BLOCK BREAKER_ERRORS': 96 });
  });
});

describe('an agent that writes again what was refused, in other words', () => {
  const rules = [
    deny('no-drop', { tool_name: { glob: ['write_note'] }, args: { key_equals: { text: 'drop all' } } }),
    dedupe('once', 'write_note', 3_600_000),
    budget('three', 'write_note', 3),
  ];
  const write = (text: string): object => ({ name: 'write_note', args: { name: 'a', text } });

  it('is refused for every spelling of the same arguments, under one hash', async () => {
    makeHome(bundle(rules));
    const args = [
      { name: 'a', text: 'drop all' },
      { text: 'drop all', name: 'a' },
    ];
    const calls = args.map((one) => ({ name: 'write_note', args: one }));
    const outcomes = (
      await agent([
        { way: 'each', calls },
        { way: 'each', calls, spaced: true },
      ])
    ).flat();
    expect(outcomes.map(word)).toEqual(outcomes.map(() => 'BLOCK DENYLIST_MATCH'));
    expect(new Set(outcomes.map(({ subluminal }) => subluminal?.args_hash)).size).toBe(1);
    expect(reached('write_note')).toBe(0);
  });

  it('finds another text where whitespace stands inside of it, and then the budget', async () => {
    makeHome(bundle(rules));
    const texts = Array.from({ length: 10 }, (_, n) => `drop${' '.repeat(n + 1)}all`);
    const [outcomes = []] = await agent([{ way: 'each', calls: texts.map(write) }]);
    // The one that is denied is charged as well: it was asked for.
    expect(outcomes.map(word)).toEqual([
      'BLOCK DENYLIST_MATCH',
      'done',
      'done',
      ...Array.from({ length: 7 }, () => 'BLOCK BUDGET_EXCEEDED'),
    ]);
    expect(reached('write_note')).toBe(2);
  });

  it('writes the same text twice in no spelling', async () => {
    makeHome(bundle(rules));
    const calls = [write('hello'), { name: 'write_note', args: { text: 'hello', name: 'a' } }];
    const [plain = [], spaced = []] = await agent([
      { way: 'each', calls },
      { way: 'each', calls, spaced: true },
    ]);
    expect([...plain, ...spaced].map(word)).toEqual([
      'done',
      'BLOCK DUPLICATE_CALL',
      'BLOCK DUPLICATE_CALL',
      'BLOCK DUPLICATE_CALL',
    ]);
    expect(reached('write_note')).toBe(1);
  });
});

describe('an agent that follows a hint', () => {
  it('makes the call that was suggested, and succeeds', async () => {
    const hint = {
      hint_text: 'write without force',
      drop_args: ['force'],
      suggested_args: { name: 'draft-{{args.name}}' },
    };
    const match = { tool_name: { glob: ['write_note'] }, args: { has_keys: ['force'] } };
    makeHome(bundle([deny('no-force', match, hint)], { mode: 'control' }));
    const args = { name: 'plan', text: 'x', force: true };
    const [outcomes = []] = await agent([{ way: 'follow', name: 'write_note', args }]);
    expect(outcomes[0]).toMatchObject({
      code: -32083,
      subluminal: {
        action: 'REJECT_WITH_HINT',
        hint: {
          hint_text: 'write without force',
          hint_kind: 'ARG_FIX',
          suggested_args: { name: 'draft-plan', text: 'x' },
        },
      },
    });
    expect(outcomes[1]?.text).toBe('write_note {"name":"draft-plan","text":"x"}');
    expect(rows('hint_issued')).toHaveLength(1);
  });
});

describe('an agent that insists', () => {
  it('gets what the operator promotes, and nothing before', async () => {
    const match = { tool_name: { glob: ['write_note'] } };
    makeHome(bundle([deny('no-write', match, { hint_text: 'ask first' })], { mode: 'control' }));
    const args = { name: 'plan', text: 'x' };
    const insists = agent([{ way: 'insist', name: 'write_note', args, times: 200 }]);
    let callId: unknown;
    await eventually('a hint is given', () => {
      const [issued] = existsSync(home.ledger) ? rows('hint_issued') : [];
      callId = (issued?.data['call'] as JsonObject | undefined)?.['call_id'];
      return typeof callId === 'string';
    });
    const promoted = await runSub(['hints', 'promote', String(callId), '--yes', '--home', home.home]);
    expect([promoted.code, promoted.stderr]).toEqual([0, '']);
    const [outcomes = []] = await insists;
    const words = outcomes.map(word);
    expect(words.at(-1)).toBe('done');
    expect(new Set(words.slice(0, -1))).toEqual(new Set(['REJECT_WITH_HINT DENYLIST_MATCH']));
    expect(reached('write_note')).toBe(1);
  });

  it('cannot promote its own hint', async () => {
    const match = { tool_name: { glob: ['write_note'] } };
    makeHome(bundle([deny('no-write', match, { hint_text: 'ask first' })], { mode: 'control' }));
    const [outcomes = []] = await agent([{ way: 'each', calls: [{ name: 'write_note', args: {} }] }]);
    const callId = String(outcomes[0]?.subluminal?.['call_id']);
    const inside = [process.execPath, SUB, 'hints', 'promote', callId, '--yes', '--home', home.home];
    const tried = await runSub(['run', '--home', home.home, '--', ...inside]);
    expect(tried.code).not.toBe(0);
    expect(tried.stderr).toContain('inside_run');
    expect(rows('hint_promoted')).toEqual([]);
  });
});

describe('what an agent says of itself', () => {
  it('frees it from nothing: without its run, as another, in another environment, with a policy of its own', async () => {
    makeHome(bundle([budget('six', '*', 6), deny('no-write', 'write_note')]));
    const calls = { way: 'each', calls: [read, read, read, { name: 'write_note', args: { name: 'a' } }] };
    const own = {
      SUB_ENV: 'dev',
      SUB_AGENT_ID: 'somebody-else',
      SUB_CLIENT: 'custom',
      SUB_HOME: join(home.root, 'elsewhere'),
      SUB_RUN_ID: 'run-of-its-own',
    };
    const outcomes = (await agent([calls, calls, calls], own)).flat();
    const reads = outcomes.filter((_, at) => at % 4 !== 3).map(word);
    const writes = outcomes.filter((_, at) => at % 4 === 3).map(word);
    // A write is charged too, and refused by the deny before the budget is.
    expect(reads.filter((one) => one === 'done')).toHaveLength(5);
    expect(reads.slice(5)).toEqual([
      'BLOCK BUDGET_EXCEEDED',
      'BLOCK BUDGET_EXCEEDED',
      'BLOCK BUDGET_EXCEEDED',
      'BLOCK BUDGET_EXCEEDED',
    ]);
    expect(new Set(writes)).toEqual(new Set(['BLOCK DENYLIST_MATCH', 'BLOCK BUDGET_EXCEEDED']));
    expect(reached('write_note')).toBe(0);
    expect(new Set(rows('tool_call_decision').map(({ runId }) => runId)).size).toBe(1);
  });
});

describe('observe mode', () => {
  it('lets through what it would refuse, byte for byte', async () => {
    const rules = [budget('one', '*', 1), dedupe('once', '*', 3_600_000), deny('no-write', 'write_note')];
    makeHome(bundle(rules, { mode: 'observe' }));
    const calls = [read, read, { name: 'write_note', args: { text: 'ä \u2028 "x"', name: '' } }, read];
    const [outcomes = []] = await agent([{ way: 'each', calls }]);
    expect(outcomes.map(word)).toEqual(['done', 'done', 'done', 'done']);
    expect(readFileSync(log()).equals(readFileSync(sent()))).toBe(true);
    const shadows = rows('tool_call_decision').map(({ data }) => (data['decision'] as JsonObject)['shadow']);
    expect(shadows).toEqual([undefined, 'BLOCK', 'BLOCK', 'BLOCK']);
  });
});

describe('an agent that takes the policy away', () => {
  it.each([
    ['deletes it', () => rmSync(policyFile(), { force: true })],
    ['breaks it', () => writeFileSync(policyFile(), '{{{', { mode: 0o600 })],
  ])('and %s, and kills the gateway, finds every rule and nothing given back', async (_what, attack) => {
    makeHome(bundle([budget('four', '*', 4), deny('no-write', 'write_note')]));
    const each = { way: 'each', calls: [read, read, { name: 'write_note', args: {} }] };
    expect((await agent([each])).flat().map(word)).toEqual(['done', 'done', 'BLOCK DENYLIST_MATCH']);
    attack();
    await stopGateway(home.home, 'SIGKILL');
    // The shim starts the gateway again. It is another run, with a budget of its own and the same rules.
    expect((await agent([{ ...each, calls: [...each.calls, read, read] }])).flat().map(word)).toEqual([
      'done',
      'done',
      'BLOCK DENYLIST_MATCH',
      'done',
      'BLOCK BUDGET_EXCEEDED',
    ]);
  });
});
