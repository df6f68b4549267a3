import { RunBeginPayload, SublError, objectAt, textAt } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { chargeFrom, type Charge } from '@subluminal/policy';
import { MAX_STEPS } from './unfinished.js';
import type { RunLimits } from '../limits/run-limits.js';
import type { RunPolicy } from '../policy/run-policy.js';
import { Run, type OpenCall } from './run.js';

/**
 * The run that a `run_start` began, as it was then; its limits go on from what is given, and so does the
 * policy that it brought along.
 */
export function runOf(start: LedgerRow, limits?: RunLimits, policy?: RunPolicy): Run {
  const { data, runId, ts: startedMs } = start;
  const { agent_id, client, env, principal, workload, holder, attested: isAttested } = data;
  const read = RunBeginPayload.pick({
    agent_id: true,
    client: true,
    env: true,
    principal: true,
    workload: true,
    holder: true,
  }).parse({
    agent_id,
    client,
    env,
    holder,
    ...(principal === undefined ? {} : { principal }),
    ...(workload === undefined ? {} : { workload }),
  });
  const identity = {
    agent_id: read.agent_id,
    client: read.client,
    env: read.env,
    ...(read.principal === undefined ? {} : { principal: read.principal }),
    ...(read.workload === undefined ? {} : { workload: read.workload }),
  };
  const attested = isAttested === true;
  const run = new Run(
    { id: runId ?? '', identity, attested, holder: read.holder, startedMs, policy },
    limits,
  );
  const { named, strict } = objectAt(data, 'run');
  run.isNamed = attested && named === true;
  run.isStrict = strict === true;
  run.noSnapshots = run.isStrict;
  return run;
}

/** What an `action_pending` waits for. */
export function pendingOf(row: LedgerRow): {
  seq: number;
  runId: string | null;
  action: string;
  requestId: string;
} {
  const action = typeof row.tool === 'string' ? row.tool : '';
  return { seq: row.seq, runId: row.runId, action, requestId: textAt(row.data, 'req', 'id') };
}

/** What a decision, or a policy that was asked again, has charged. Throws `policy_invalid`. */
export function chargeOf(row: LedgerRow): Charge {
  return chargeAmong(objectAt(row.data, 'facts'));
}

/**
 * The other facts of an entry, by the names under which `decisionFacts` and those who record one again write
 * them.
 */
const FACTS: ReadonlySet<string> = new Set([
  'again',
  'approvals',
  'args',
  'charge',
  'of',
  'policies',
  'raised',
  'readings',
  'waived',
]);

/**
 * The charge among facts. Throws `policy_invalid` for a charge that cannot be read, and for facts of another
 * name. Such a fact may be a charge that this version does not know: to count it as nothing would give a
 * limit back.
 */
export function chargeAmong(facts: object): Charge {
  const { charge, ...rest }: { readonly charge?: unknown } = facts;
  if (Object.keys(rest).some((name) => !FACTS.has(name)))
    throw new SublError('policy_invalid', 'an entry has facts that this version does not know');
  return charge === undefined ? [] : chargeFrom(charge);
}

/** The call that an ALLOW decision opened. Throws `policy_invalid`. */
export function openCallOf(row: LedgerRow): OpenCall {
  const call = objectAt(row.data, 'call');
  const [server, tool] = Array.isArray(row.tool) ? row.tool : ['', ''];
  const continues = textAt(call, 'continues');
  return {
    callId: textAt(call, 'call_id'),
    shimId: textAt(row.data, 'shim'),
    tool: [server, tool],
    argsHash: textAt(call, 'args_hash'),
    decisionSeq: row.seq,
    startedMs: row.ts,
    charge: chargeOf(row),
    isSettled: false,
    // How many there were before it is not looked up: it is the last.
    ...(continues === '' ? {} : { continues: { callId: continues, step: MAX_STEPS, paid: [] } }),
  };
}
