import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DecisionErrorData, SublEvent } from '@subluminal/core-types';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { GUARDED_CALLS, GUARDED_POLICY } from './guarded-policy.js';
import { call, INITIALIZE, scriptedRun, type ScriptedRun } from './scripted-run.js';

const LINES = [...INITIALIZE, ...GUARDED_CALLS.map(([tool, args], n) => call(n + 1, tool, args))];

let home: TestHome;
let other: TestHome;
let run: ScriptedRun;
let text: string;
let began: number;
let events: SublEvent[];
const ofType = <T extends SublEvent['type']>(type: T) =>
  events.filter((event): event is Extract<SublEvent, { type: T }> => event.type === type);
const decisions = () => ofType('tool_call_decision');

beforeAll(async () => {
  [home, other] = [
    createHome({ policy: GUARDED_POLICY, config: '[calls]\ntimeout_ms = 30000\n' }),
    createHome(),
  ];
  const file = join(home.root, 'events.jsonl');
  began = Date.now();
  run = await scriptedRun(home, {
    lines: LINES,
    runFlags: ['--agent', 'repo-fixer', '--env', 'ci', '--meta', 'issue_id=42', '--events', file],
  });
  text = readFileSync(file, 'utf8');
  events = text
    .split('\n')
    .slice(0, -1)
    .map((line) => SublEvent.parse(JSON.parse(line)));
});
afterAll(() => Promise.all([home.remove(), other.remove()]));

/** Rows of a view of the ledger, read as any program could. */
function rowsOf(sql: string): unknown[] {
  const db = new Database(home.ledger, { readonly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

describe('a run under one rule of each kind', () => {
  it('has the decision of the first rule that decides, or of the limit that is reached', () => {
    expect(
      decisions().map(({ call: { tool_name }, decision: { action, rule_id, explain } }) => [
        tool_name,
        action,
        rule_id,
        explain.reason_code,
      ]),
    ).toEqual(GUARDED_CALLS.map(([tool, , action, rule, reason]) => [tool, action, rule, reason]));
  });

  it('gives each decision what its action needs, and no other', () => {
    const extras = decisions().map(({ decision }) =>
      ['backoff_ms', 'hint', 'terminate'].filter((field) => field in decision),
    );
    const needed: Record<string, string> = {
      THROTTLE: 'backoff_ms',
      REJECT_WITH_HINT: 'hint',
      TERMINATE_RUN: 'terminate',
    };
    expect(extras).toEqual(
      GUARDED_CALLS.map(([, , action]) => [needed[action]].filter((field) => field !== undefined)),
    );
    for (const { decision } of decisions()) {
      expect(decision.severity).toMatch(/^(info|warn|critical)$/);
      expect(decision.explain.summary).toMatch(/./);
    }
  });

  it('answers each refusal with the code of its action and the whole of Contract C', () => {
    const answers = run.client.answers.slice(1);
    expect(answers.map(({ error }) => error?.code)).toEqual(GUARDED_CALLS.map(([, , , , , code]) => code));
    for (const [n, [tool, , action, rule_id, reason_code]] of GUARDED_CALLS.entries()) {
      if (action === 'ALLOW') continue;
      const { call: made, run_id, policy, decision } = decisions()[n] ?? {};
      expect(DecisionErrorData.parse(answers[n]?.error?.data).subluminal).toMatchObject({
        v: '0.2.0',
        action,
        rule_id,
        reason_code,
        summary: decision?.explain.summary,
        run_id,
        call_id: made?.call_id,
        server_name: 'files',
        tool_name: tool,
        args_hash: made?.args_hash,
        policy,
      });
    }
  });

  it('names the risk classes that its tags give a call', () => {
    const tags = ofType('tool_call_start').map((event) => [event.call.tool_name, event.call['tags']]);
    expect(tags.filter(([, classes]) => classes !== undefined)).toEqual([
      ['write_file', ['write_like']],
      ['write_file', ['write_like']],
    ]);
  });

  it('says what it is about, how long a call may take, and what may be made again', () => {
    expect(ofType('run_start')[0]?.run.meta).toEqual({ issue_id: '42' });
    const starts = ofType('tool_call_start');
    expect(starts.map((event) => event.call.timeout_ms)).toEqual(starts.map(() => 30_000));
    const again = ofType('tool_call_end').filter((event) => event.error?.retryable === true);
    expect(again.map((event) => event.call.tool_name)).toEqual(['poll']);
  });

  it('names the machine, the process and the shim of each event', () => {
    const ofShim = (event: SublEvent) => !['run_start', 'run_end', 'policy_loaded'].includes(event.type);
    const sources = (list: readonly SublEvent[]) => new Set(list.map(({ source }) => source.proc_id));
    const [shims, others] = [events.filter(ofShim), events.filter((event) => !ofShim(event))];
    expect(new Set(events.map(({ source }) => source.host_id)).size).toBe(1);
    for (const found of [sources(shims), sources(others)]) {
      expect(found.size).toBe(1);
      for (const one of found) expect(one).toMatch(/^[0-9]+-[0-9]+$/);
    }
    expect(sources(shims)).not.toEqual(sources(others));
    expect(new Set(shims.map(({ source }) => source.shim_id)).size).toBe(1);
  });

  it('tells how long to wait where it throttles', () => {
    const at = GUARDED_CALLS.findIndex(([, , action]) => action === 'THROTTLE');
    const { backoff_ms } = decisions()[at]?.decision ?? {};
    expect(backoff_ms).toBeGreaterThan(250);
    expect(run.client.answers[at + 1]?.error?.data).toMatchObject({
      subluminal: { backoff_ms, retry_advice: expect.stringMatching(/./) as unknown },
    });
  });

  it('emits a hint_issued event with the call and the hint that the agent got', () => {
    const hinted = decisions().filter(({ decision }) => decision.action === 'REJECT_WITH_HINT');
    const issued = ofType('hint_issued');
    expect(issued.map((event) => event.call.call_id)).toEqual(hinted.map((event) => event.call.call_id));
    expect(issued.map((event) => event.hint)).toMatchObject([
      {
        hint_text: 'push without force',
        suggested_args: { branch: 'main' },
        retry_advice: 'at once',
        hint_kind: 'ARG_FIX',
      },
      { hint_text: 'one purchase a run', suggested_args: null, hint_kind: 'BUDGET' },
    ]);
    const given = run.client.answers.flatMap(({ error }) => (error?.code === -32083 ? [error.data] : []));
    expect(given).toMatchObject(issued.map(({ hint }) => ({ subluminal: { hint } })));
  });

  it('emits a breaker_trip for each breaker that trips', () => {
    expect(ofType('breaker_trip')).toMatchObject([
      { breaker: { rule_id: 'failures', reason_code: 'BREAKER_ERRORS' } },
      { breaker: { rule_id: 'loops', reason_code: 'BREAKER_REPEATS' } },
    ]);
  });

  it('is ended by the breaker that says so, with its code, and counts what became of its calls', () => {
    expect(decisions().at(-1)?.decision.terminate).toMatchObject({ terminate_code: 'LOOPING' });
    const count = (...actions: string[]) =>
      GUARDED_CALLS.filter(([, , action]) => actions.includes(action)).length;
    expect(ofType('run_end')[0]?.run).toMatchObject({
      status: 'TERMINATED',
      summary: {
        calls_total: GUARDED_CALLS.length,
        calls_allowed: count('ALLOW'),
        calls_blocked: count('BLOCK', 'REJECT_WITH_HINT', 'TERMINATE_RUN'),
        calls_throttled: count('THROTTLE'),
        errors_total: 2,
      },
    });
  });
});

describe('the tables of the ledger after that run', () => {
  it('stand in a database in write-ahead mode', () => {
    expect(rowsOf('PRAGMA journal_mode')).toEqual([{ journal_mode: 'wal' }]);
    expect(rowsOf('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  });

  it('hold the run', () => {
    const [start, end] = [ofType('run_start')[0], ofType('run_end')[0]];
    expect(rowsOf('SELECT * FROM runs')).toMatchObject([
      {
        run_id: start?.run_id,
        agent_id: 'repo-fixer',
        client: start?.client,
        env: 'ci',
        started_at: start?.run.started_at,
        ended_at: end?.run.ended_at,
        status: 'TERMINATED',
        metadata_json: expect.stringContaining('repo-fixer') as unknown,
      },
    ]);
  });

  it('hold each call with its decision and its end', () => {
    const ends = new Map(ofType('tool_call_end').map((event) => [event.call.call_id, event]));
    expect(rowsOf('SELECT * FROM tool_calls ORDER BY created_at, call_id')).toMatchObject(
      ofType('tool_call_start').map((start, n) => {
        const { call_id, server_name, tool_name, args_hash, bytes_in } = start.call;
        const end = ends.get(call_id);
        const [, , decision, rule_id] = GUARDED_CALLS[n] ?? [];
        return {
          call_id,
          run_id: start.run_id,
          server_name,
          tool_name,
          args_hash,
          decision,
          rule_id,
          status: end?.status,
          latency_ms: end?.latency_ms,
          bytes_in,
          bytes_out: end?.bytes_out,
          preview_truncated: 0,
          created_at: start.ts,
        };
      }),
    );
  });

  it('hold previews, and the hints with what they suggest', () => {
    const shown = ofType('tool_call_start').map((event) => event.call.preview.args_preview);
    const previews = rowsOf('SELECT args_preview, result_preview, redaction_flags FROM previews') as {
      args_preview: string;
    }[];
    expect(previews.map((row) => row.args_preview)).toEqual(shown);
    expect(rowsOf('SELECT * FROM hints')).toMatchObject([
      { hint_text: 'push without force', suggested_args_json: '{"branch":"main"}' },
      { hint_text: 'one purchase a run', suggested_args_json: 'null' },
    ]);
  });

  it('hold the version of the policy that decided, with its rules', () => {
    const { policy_hash } = ofType('run_start')[0]?.policy ?? {};
    const versions = rowsOf('SELECT * FROM policy_versions') as Record<string, unknown>[];
    expect(versions.at(-1)).toMatchObject({
      policy_id: 'limits',
      version: '2.0.0',
      mode: 'control',
      rules_hash: policy_hash,
    });
    const rules = JSON.parse(String(versions.at(-1)?.['rules_json'])) as { rule_id: string }[];
    const written = (JSON.parse(GUARDED_POLICY) as { rules: { rule_id: string }[] }).rules;
    expect(rules.map(({ rule_id }) => rule_id)).toEqual(written.map(({ rule_id }) => rule_id));
    expect(new Set(versions.map((row) => row['rules_hash'])).size).toBe(versions.length);
  });
});

it('the run has an id that is a ULID of the time at which it began', () => {
  const { run_id = '', ts = '' } = events[0] ?? {};
  expect(run_id).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
  const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const digits = Array.from(run_id.slice(0, 10), (digit) => alphabet.indexOf(digit));
  const opened = digits.reduce((sum, digit) => sum * 32 + digit, 0);
  expect([began, opened, Date.parse(ts)].toSorted((a, b) => a - b)).toEqual([began, opened, Date.parse(ts)]);
});

it('its events are taken in by another home, also with fields that nobody knows', async () => {
  const strange = text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.stringify({ ...(JSON.parse(line) as object), of_tomorrow: { deep: [1] } }));
  const file = join(other.root, 'strange.jsonl');
  writeFileSync(file, `${strange.join('\n')}\n`);
  const taken = await runSub(['ingest', file, '--json', '--home', other.home]);
  expect(JSON.parse(taken.stdout)).toMatchObject({ events: events.length, added: events.length });
});
