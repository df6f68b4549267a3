import {
  CallStatus,
  DecisionAction,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  type JsonObject,
} from '@subluminal/core-types';
import type { CallStep } from '@subluminal/ledger';
import {
  readingsUnder,
  type CallEnd,
  type PolicyIdentity,
  type RecordedCall,
  type Waiver,
} from '@subluminal/policy';
import { argsFrom } from './args.js';
import { identityOf } from './identity.js';
import { agreedTo, waiverOf, withWaiver } from './waiver.js';

/** One step of a run, for deciding it again. */
export type Happening =
  | { readonly what: 'run'; readonly runId: string; readonly identity: PolicyIdentity }
  | { readonly what: 'call'; readonly call: RecordedCall; readonly told: CallFacts }
  | {
      readonly what: 'end';
      readonly runId: string;
      readonly ref: number;
      readonly end: CallEnd;
      readonly ts: number;
      /** The call ran: it was not refused after all. */
      readonly ran: boolean;
    }
  | { readonly what: 'finish'; readonly runId: string };

/** Further facts of a call. */
export interface CallFacts {
  readonly callId: string;
  /** Looked up when they are asked for. */
  readonly tags: () => readonly string[];
}

/** Runs with waivers: the oldest is let go of beyond. */
const MAX_KEPT = 8192;

/** Puts the entries of runs and their calls together, in their order, in a bounded memory. */
export function* history(steps: Iterable<CallStep>): Generator<Happening> {
  const waivers = new Map<string, readonly Waiver[]>();
  for (const step of steps) {
    const { runId } = step;
    if (runId === null) continue;
    switch (step.type) {
      case 'run_start':
        yield { what: 'run', runId, identity: identityOf(step.data) };
        break;
      case 'tool_call_decision': {
        const call = callOf(runId, step, waivers.get(runId) ?? []);
        if (call !== undefined) yield { what: 'call', call, told: toldOf(step) };
        break;
      }
      case 'tool_call_end':
        if (step.ref !== null) yield endOf(runId, step.ref, step);
        break;
      case 'hint_promoted': {
        const waiver = waiverOf(step);
        if (waiver !== undefined) keep(waivers, runId, withWaiver(waivers.get(runId) ?? [], waiver));
        break;
      }
      case 'run_end':
        waivers.delete(runId);
        yield { what: 'finish', runId };
        break;
      default:
    }
  }
}

function callOf(runId: string, step: CallStep, waivers: readonly Waiver[]): RecordedCall | undefined {
  const { seq, ts, tool, code, data } = step;
  if (tool === null) return undefined;
  const was = recordedAnswer(code, data);
  if (was === undefined) return undefined;
  const hash = textAt(data, 'call', 'args_hash');
  return {
    run_id: runId,
    ref: seq,
    ts,
    server_name: tool[0],
    tool_name: tool[1],
    args_hash: hash,
    call_id: textAt(data, 'call', 'call_id'),
    continues: textAt(data, 'call', 'continues') || undefined,
    args: () => {
      const { start } = step;
      return argsFrom(start?.data ?? {}, data, start?.preview ?? null);
    },
    readings: (keys) => readingsUnder(objectAt(data, 'facts', 'readings') ?? undefined, keys),
    raised: textsAt(data, 'facts', 'raised'),
    waivers: [...waivers, ...agreedTo({ server_name: tool[0], tool_name: tool[1], args_hash: hash }, data)],
    was,
  };
}

/** The answer of the home's policy. A run's own may have been stricter, and is not replayed. */
function recordedAnswer(code: CallStep['code'], data: JsonObject): RecordedCall['was'] | undefined {
  const home = objectAt(data, 'facts', 'policies', 'home');
  const decision = objectAt(data, 'decision');
  const isOne = textAt(home, 'action') === '';
  const action = DecisionAction.safeParse(isOne ? code : textAt(home, 'action'));
  if (!action.success) return undefined;
  return {
    action: action.data,
    rule_id: textAt(isOne ? decision : home, 'rule_id') || null,
    reason_code: isOne ? textAt(decision, 'explain', 'reason_code') : textAt(home, 'reason_code'),
  };
}

function toldOf(step: CallStep): CallFacts {
  return {
    callId: textAt(step.data, 'call', 'call_id'),
    tags: () => textsAt(step.start?.data ?? null, 'call', 'tags'),
  };
}

/** Most ends are never looked into: what needs their data asks for it. */
function endOf(runId: string, ref: number, step: CallStep): Happening {
  const { ts, code } = step;
  const status = CallStatus.safeParse(code).data ?? 'ERROR';
  return {
    what: 'end',
    runId,
    ref,
    ts,
    end: {
      status,
      get latency_ms() {
        return numberAt(step.data, 'latency_ms') ?? 0;
      },
    },
    get ran() {
      return status !== 'ERROR' || textAt(step.data, 'error', 'class') !== 'policy_block';
    },
  };
}

function keep<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.set(key, value);
  if (map.size <= MAX_KEPT) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
