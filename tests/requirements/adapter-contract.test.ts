import { DecisionErrorData, RESERVED_ERROR_CODES, SublEvent, type JsonObject } from '@subluminal/core-types';
import { openLedgerReader } from '@subluminal/ledger';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, start, toolCall, toolEnd } from '../gateway/harness.js';

const POLICY = `
policy_id: team
version: 1.0.0
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: writes
    kind: tag
    enabled: true
    severity: info
    match: { tool_name: { glob: ['write_*', 'delete_*'] } }
    effect: { tag: { add_risk_class: [write_like] } }
  - rule_id: no-main
    kind: deny
    enabled: true
    severity: critical
    match: { risk_class: [write_like], args: { key_equals: { branch: main } } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: main is protected }
  - rule_id: reads
    kind: allow
    enabled: true
    severity: info
    match: { tool_name: { glob: ['read_*'] } }
    effect: { action: ALLOW, reason_code: READ_ONLY, message: reading is fine }
`;

const CALLS = [
  { tool_name: 'read_file', args: { path: '/tmp/a' }, action: 'ALLOW', rule: 'reads' },
  { tool_name: 'write_file', args: { branch: 'main', text: 'a' }, action: 'BLOCK', rule: 'no-main' },
  { tool_name: 'write_file', args: { branch: 'side', text: 'a' }, action: 'ALLOW', rule: null },
  { tool_name: 'delete_file', args: { branch: 'main' }, action: 'BLOCK', rule: 'no-main' },
] as const;
const TRANSPORTS = ['mcp_stdio', 'mcp_http', 'http', 'unknown'] as const;

/** What an adapter that knows no protocol was told, and the events that came of it. */
interface Session {
  readonly decisions: readonly JsonObject[];
  readonly events: readonly JsonObject[];
}

let sessions: ReadonlyMap<string, Session>;

/** Plays the calls through the core as an adapter with this transport would, and reads what was recorded. */
async function play(transport: string): Promise<Session> {
  const world = await start({ policy: POLICY });
  const run = await world.run();
  const decisions: JsonObject[] = [];
  for (const [n, { tool_name, args }] of CALLS.entries()) {
    const call = toolCall({ call_id: `call-0000${n}`, transport, tool_name, args, bytes_in: 100 });
    const answer = dataOf(await run.client.request('tool.call.begin', call));
    const decision = answer['decision'] as JsonObject;
    decisions.push(decision);
    if (decision['action'] === 'ALLOW') await run.client.request('tool.call.end', toolEnd(call.call_id));
  }
  const reader = openLedgerReader(world.paths.ledgerDb);
  const rows = reader.byRun(run.id, { order: 'asc', limit: 100 }).rows;
  // The gateway's own conclusions from these events are entries, and no events.
  const told = rows.filter(({ type }) => !type.startsWith('plane.'));
  const events = told.map((row) => reader.toEvent(row)).filter((event) => event !== null);
  reader.close();
  return { decisions, events };
}

beforeAll(async () => {
  sessions = new Map(await Promise.all(TRANSPORTS.map(async (one) => [one, await play(one)] as const)));
});

/** What differs between any two runs. */
const OF_THE_RUN = new Set(['ts', 'run_id', 'audit_ref', 'holder', 'run']);

/** An event without its transport and what differs between any two runs and gateways. */
function timeless(event: JsonObject): unknown {
  const rest = Object.fromEntries(Object.entries(event).filter(([key]) => !OF_THE_RUN.has(key)));
  const { transport: _, ...call } = (event['call'] ?? {}) as JsonObject;
  const { host_id: __, ...source } = event['source'] as JsonObject;
  return { ...rest, call, source };
}

describe.each(TRANSPORTS)('an adapter whose transport is %s', (transport) => {
  const session = () => sessions.get(transport) ?? { decisions: [], events: [] };

  it('gets a decision on each abstract call, from the policy alone', () => {
    expect(session().decisions.map((one) => [one['action'], one['rule_id']])).toEqual(
      CALLS.map((call) => [call.action, call.rule]),
    );
  });

  it('gets all that an error of Contract C needs', () => {
    const refused = session().decisions.filter((one) => one['action'] === 'BLOCK');
    expect(refused.length).toBe(2);
    expect(RESERVED_ERROR_CODES['BLOCK']).toBe(-32081);
    for (const { action, rule_id, reason_code, summary } of refused) {
      const named = { run_id: 'r', call_id: 'c', server_name: 's', tool_name: 't', args_hash: 'h' };
      const policy = { policy_id: 'p', policy_version: 'v', policy_hash: 'h' };
      const data = { subluminal: { v: '0.2.0', action, rule_id, reason_code, summary, ...named, policy } };
      expect(DecisionErrorData.parse(data)).toEqual(data);
    }
  });

  it('has events that fit the contract and name its transport', () => {
    const events = session().events.map((event) => SublEvent.parse(event));
    const starts = events.filter((event) => event.type === 'tool_call_start');
    expect(starts.map((event) => event.call.transport)).toEqual(Array(4).fill(transport));
  });

  it('has the same events as any other, but for the transport', () => {
    const first = sessions.get('mcp_stdio')?.events.map(timeless);
    expect(first?.length).toBe(1 + CALLS.length * 3);
    expect(session().events.map(timeless)).toEqual(first);
  });
});
