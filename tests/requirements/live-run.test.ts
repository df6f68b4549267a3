import { userInfo } from 'node:os';
import { fileURLToPath } from 'node:url';
import { DecisionErrorData, SublEvent } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { call, INITIALIZE, scriptedRun, sha256, tailLines, type ScriptedRun } from './scripted-run.js';

const POLICY = `
policy_id: team
version: 1.2.0
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-delete
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: ['delete_*'] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: deleting is not allowed }
`;

const LINES = [
  ...INITIALIZE,
  call(1, 'write_file', '{"b":1,"a":{"y":2,"x":[3,1]}}'),
  call(2, 'write_file', '{"a":{"x":[3.0,1e0],"y":2.0},"b":1}'),
  call(3, 'delete_file', '{"path":"/tmp/a"}'),
  call(4, 'fail', '{"message":"no such file"}'),
];

const repository = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/u, '');

let home: TestHome;
let run: ScriptedRun;
let lines: string[];
let events: SublEvent[];
const ofType = <T extends SublEvent['type']>(type: T) =>
  events.filter((event): event is Extract<SublEvent, { type: T }> => event.type === type);

beforeAll(async () => {
  home = createHome({ policy: POLICY });
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  run = await scriptedRun(home, {
    lines: LINES,
    runFlags: ['--agent', 'repo-fixer', '--env', 'ci'],
    env: { SUB_AGENT_ID: 'somebody-else', SUB_RUN_ID: 'claimed-run-id' },
  });
  lines = (await tailLines(home)).filter((line) => 'type' in (JSON.parse(line) as object));
  events = lines.map((line) => SublEvent.parse(JSON.parse(line)));
});
afterAll(() => home.remove());

describe('the events of a run', () => {
  it('are JSON lines of the five required types, from run_start to run_end', () => {
    expect(events.map((event) => event.type)).toEqual([
      'run_start',
      ...Array.from({ length: 4 }, () => ['tool_call_start', 'tool_call_decision', 'tool_call_end']).flat(),
      'run_end',
    ]);
    for (const line of lines) expect(line).toMatch(/^\{.*\}$/u);
  });

  it('carry the envelope, with one version, one run and the time in UTC', () => {
    expect(new Set(events.map((event) => event.v))).toEqual(new Set(['0.2.0']));
    expect(new Set(events.map((event) => event.run_id)).size).toBe(1);
    expect(new Set(events.map((event) => event.source.host_id)).size).toBe(1);
    for (const event of events) expect(event.ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it('carry the identity of the run, whatever the shim is told', () => {
    for (const event of events) expect(event).toMatchObject({ agent_id: 'repo-fixer', env: 'ci' });
  });

  it('name the user and the folder that it works in', () => {
    const { username } = userInfo();
    for (const event of events)
      expect(event).toMatchObject({
        principal: username,
        workload: { user: username, repo_path: repository },
      });
  });

  it('count the calls of the run from 1', () => {
    expect(ofType('tool_call_start').map((event) => event.call.seq)).toEqual([1, 2, 3, 4]);
  });

  it('have call ids that are unique, and the same in start, decision and end', () => {
    const ids = ofType('tool_call_start').map((event) => event.call.call_id);
    expect(new Set(ids).size).toBe(4);
    expect(ofType('tool_call_decision').map((event) => event.call.call_id)).toEqual(ids);
    expect(ofType('tool_call_end').map((event) => event.call.call_id)).toEqual(ids);
  });

  it('name server, tool, transport and size of each call', () => {
    const sizes = LINES.slice(2).map((line) => ('text' in line ? line.text.length : 0));
    expect(ofType('tool_call_start').map((event) => event.call)).toEqual(
      ['write_file', 'write_file', 'delete_file', 'fail'].map((tool, n) =>
        expect.objectContaining({
          server_name: 'files',
          tool_name: tool,
          transport: 'mcp_stdio',
          bytes_in: expect.toSatisfy(
            (bytes: number) => bytes === sizes[n] || bytes === (sizes[n] ?? 0) + 1,
            'the length of the line, with or without its end',
          ) as unknown,
        }),
      ),
    );
  });

  it('have one args_hash for two spellings of the same arguments', () => {
    const hashes = ofType('tool_call_start').map((event) => event.call.args_hash);
    expect(hashes.slice(0, 3)).toEqual([
      sha256('{"a":{"x":[3,1],"y":2},"b":1}'),
      sha256('{"a":{"x":[3,1],"y":2},"b":1}'),
      sha256('{"path":"/tmp/a"}'),
    ]);
    expect(ofType('tool_call_decision').map((event) => event.call.args_hash)).toEqual(hashes);
    expect(ofType('tool_call_end').map((event) => event.call.args_hash)).toEqual(hashes);
  });

  it('say what was decided, by which rule of which policy, and why', () => {
    const decisions = ofType('tool_call_decision');
    expect(decisions.map((event) => [event.decision.action, event.decision.rule_id])).toEqual([
      ['ALLOW', null],
      ['ALLOW', null],
      ['BLOCK', 'no-delete'],
      ['ALLOW', null],
    ]);
    expect(decisions[2]?.decision).toMatchObject({
      severity: 'critical',
      explain: { reason_code: 'DENYLIST_MATCH', summary: 'deleting is not allowed' },
    });
    const policy = ofType('run_start')[0]?.policy;
    expect(policy).toMatchObject({ policy_id: 'team', policy_version: '1.2.0' });
    expect(policy?.policy_hash).toMatch(/^[0-9a-f]{64}$/);
    for (const event of decisions) expect(event.policy).toEqual(policy);
  });

  it('say how each call ended', () => {
    expect(ofType('tool_call_end').map((event) => [event.status, event.error?.class])).toEqual([
      ['OK', undefined],
      ['OK', undefined],
      ['ERROR', 'policy_block'],
      ['ERROR', 'upstream_error'],
    ]);
  });

  it('end with a summary that counts them', () => {
    expect(ofType('run_end')[0]?.run).toMatchObject({
      status: 'SUCCEEDED',
      summary: { calls_total: 4, calls_allowed: 3, calls_blocked: 1, calls_throttled: 0, errors_total: 1 },
    });
  });
});

describe('a refused call', () => {
  it('is answered with the reserved code and the data of Contract C', () => {
    const { error } = run.client.answers[3] ?? {};
    expect(error?.code).toBe(-32081);
    expect(error?.message).toContain('deleting is not allowed');
    const decision = ofType('tool_call_decision')[2];
    expect(DecisionErrorData.parse(error?.data).subluminal).toMatchObject({
      v: '0.2.0',
      action: 'BLOCK',
      rule_id: 'no-delete',
      reason_code: 'DENYLIST_MATCH',
      summary: 'deleting is not allowed',
      run_id: decision?.run_id,
      call_id: decision?.call.call_id,
      server_name: 'files',
      tool_name: 'delete_file',
      args_hash: decision?.call.args_hash,
      policy: decision?.policy,
    });
  });

  it('never reaches the server, while everything else does, byte for byte', () => {
    const forwarded = LINES.flatMap((line) => ('text' in line ? [line.text] : []));
    expect(run.input.toString()).toBe(
      forwarded
        .filter((text) => !text.includes('delete_file'))
        .map((text) => `${text}\n`)
        .join(''),
    );
  });
});

it('answers of the server pass byte for byte, an error of its own included', () => {
  const own = run.output.toString().split('\n').slice(0, -1);
  expect(run.client.answers.filter((_, n) => n !== 3)).toEqual(
    own.map((line) => JSON.parse(line) as unknown),
  );
  expect(run.client.answers[4]?.error).toMatchObject({ code: -32010, message: 'no such file' });
});

it('a command below `sub run` finds the identity of its run in its environment', () => {
  expect(run.client.identity).toMatchObject({
    SUB_RUN_ID: events[0]?.run_id,
    SUB_AGENT_ID: 'repo-fixer',
    SUB_ENV: 'ci',
    SUB_CLIENT: events[0]?.client,
  });
});
