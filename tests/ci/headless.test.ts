import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '@subluminal/core-types';
import { openLedgerReader, type LedgerReader } from '@subluminal/ledger';
import { afterEach, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub } from '../harness/resident.js';
import { type Finished } from '../harness/sub.js';
import { budget, bundle, deny } from '../gateway/policy-bundle.js';
import { agentCommand, eventsOf, type Step } from './agent.js';

// Many jobs at once on one machine, as a CI runner has them.

const IS_LONG = process.env['SUB_LONG'] === '1';
/** How many. */
const SHARED = IS_LONG ? 100 : 16;
const OWN = IS_LONG ? 100 : 5;
const POLICY = bundle([deny('no-removing', 'remove'), budget('calls', 'say', 6)]);
const STEPS: readonly Step[] = [
  { tool: 'say', args: { text: 'hello' }, times: 4 },
  { tool: 'remove', args: { path: '/' } },
  { tool: 'say', args: { text: 'again' }, times: 4 },
];
const DECISIONS = 'AAAA B AABB'.replaceAll(' ', '');

const homes: TestHome[] = [];
afterEach(async () => {
  await Promise.all(homes.splice(0).map((home) => home.remove()));
});

function newHome(): TestHome {
  const home = createHome({ policy: POLICY, config: '[ledger]\nsegment_mb = 1\n' });
  homes.push(home);
  return home;
}

interface Job {
  readonly home: TestHome;
  readonly outcome: Finished;
  readonly events: JsonObject[];
}

/** Jobs that are on their way at once: starting costs more than working does. */
const STARTING = 8;

/** Starts all jobs; none makes a call before each of them has its server, so that all work at once. */
async function runJobs(count: number, homeOf: (at: number) => TestHome): Promise<Job[]> {
  const jobs = Array.from({ length: count }, (_, at) => {
    const home = homeOf(at);
    const folder = join(home.root, `job-${at}`);
    mkdirSync(folder);
    return { home, events: join(folder, 'events.jsonl'), ready: join(folder, 'ready') };
  });
  const [first] = jobs;
  if (first === undefined) throw new Error('there is no job');
  const go = join(first.home.root, 'go');
  const isReady = ({ ready }: { readonly ready: string }): boolean => existsSync(ready);
  const early: Finished[] = [];
  const started: Promise<Job>[] = [];
  for (const [at, { home, events, ready }] of jobs.entries()) {
    const agent = agentCommand(home.home, STEPS, { wait: go, ready });
    const flags = [
      '--agent',
      'scripted',
      '--env',
      'ci',
      '--client',
      'headless',
      '--strict',
      '--events',
      events,
    ];
    const options = { timeoutMs: 300_000, cwd: first.home.root };
    const ended = runSub(['run', '--home', home.home, ...flags, '--', ...agent], options);
    const job = async (): Promise<Job> => {
      const outcome = await ended;
      if (!existsSync(go)) early.push(outcome);
      return { home, outcome, events: eventsOf(readFileSync(events, 'utf8')) as JsonObject[] };
    };
    started.push(job());
    const toBeReady = jobs.slice(0, at === count - 1 ? count : Math.max(0, at - STARTING));
    await eventually('jobs have their servers', () => early.length > 0 || toBeReady.every(isReady), 120_000);
    if (early.length > 0) break;
  }
  writeFileSync(go, '');
  const done = await Promise.all(started);
  expect(early).toEqual([]);
  return done;
}

function runIdOf([first]: readonly JsonObject[]): string {
  const id = first?.['run_id'];
  if (typeof id !== 'string') throw new Error('the events do not begin with a run');
  return id;
}

/** What the ledger has of a run, as events. */
function recorded(reader: LedgerReader, runId: string): JsonValue[] {
  const types = new Set([
    'run_start',
    'tool_call_start',
    'tool_call_decision',
    'tool_call_end',
    'hint_issued',
    'run_end',
  ]);
  const { rows } = reader.byRun(runId, { order: 'asc', limit: 1000 });
  return rows.filter(({ type }) => types.has(type)).map((row) => reader.toEvent(row));
}

const CHANGES = new Set(
  `ts run_id audit_ref call_id latency_ms started_at ended_at duration_ms host_id proc_id shim_id holder`.split(
    ' ',
  ),
);

/** The events without ids, times and processes. */
function withoutIds(events: readonly JsonObject[]): unknown {
  return JSON.parse(JSON.stringify(events), (key, value: unknown) => (CHANGES.has(key) ? undefined : value));
}

/** How many of the jobs came out as they should. */
async function check(jobs: readonly Job[]): Promise<number> {
  const readers = new Map<string, LedgerReader>();
  try {
    for (const { home, outcome, events } of jobs) {
      // The agent ignored four refusals.
      expect({ code: outcome.code, stderr: outcome.stderr }).toMatchObject({ code: 3 });
      expect(outcome.stderr).not.toContain('error[');
      expect(outcome.stderr).toContain('sub: strict: 3 violations\n');
      const codes = events.flatMap(({ type, decision }) =>
        type === 'tool_call_decision' ? [(decision as JsonObject)['action'] === 'ALLOW' ? 'A' : 'B'] : [],
      );
      expect(codes.join('')).toBe(DECISIONS);
      const reader = readers.get(home.home) ?? openLedgerReader(home.ledger);
      readers.set(home.home, reader);
      expect(events).toEqual(recorded(reader, runIdOf(events)));
      expect(withoutIds(events)).toEqual(withoutIds(jobs[0]?.events ?? []));
    }
  } finally {
    for (const reader of readers.values()) reader.close();
  }
  for (const home of new Set(jobs.map((job) => job.home))) {
    const verified = await runSub(['audit', 'verify', '--home', home.home], { timeoutMs: 120_000 });
    expect({ verified: verified.code, text: verified.stdout + verified.stderr }).toMatchObject({
      verified: 0,
    });
  }
  return jobs.length;
}

it('many jobs at once share one gateway: none crashes, no event is lost, all do the same, and the chain is whole', async () => {
  const home = newHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  expect(await check(await runJobs(SHARED, () => home))).toBe(SHARED);
}, 300_000);

it('many jobs at once have each a gateway of their own, which the first that needs it starts', async () => {
  expect(await check(await runJobs(OWN, () => newHome()))).toBe(OWN);
}, 300_000);
