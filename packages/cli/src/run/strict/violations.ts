import { objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';
import { CONNECT, destinationOf, NAME } from '@subluminal/records';
import { unjudged } from './unjudged.js';
import { UnlistedPlaces } from './unlisted.js';

/** One thing that a strict run must not do, and how often it did. */
export interface Violation {
  /** The server, empty where it is none's. */
  readonly server: string;
  /** The tool, or the action. */
  readonly name: string;
  /** The decision, or what kind of thing it is. */
  readonly what: string;
  /** The rule that decided, empty where none did. */
  readonly rule: string;
  readonly code: string;
  readonly reason: string;
  readonly times: number;
}

/** Agents can invent names: more different ones are only counted. */
const MAX_DIFFERENT = 1000;

/** Connections that are open at once are limited; of more than these no place is told. */
const MAX_OPEN = 4096;

/** Entries of a run's tools. Its connections say nothing of them. */
const REACHING: ReadonlySet<string> = new Set(['upstream_begin', 'tool_call_start', 'hook_event']);

/** Decisions that a strict run must not get. */
export const REFUSALS: ReadonlySet<string> = new Set(['BLOCK', 'REJECT_WITH_HINT', 'TERMINATE_RUN']);

/**
 * The entries that a strict run must not have: refused calls, refused actions and connections, tools that are
 * held, messages that could not be judged, calls that were made unjudged, and those without a gateway that
 * are not believed. Waiting for a rate (THROTTLE) is none, and neither is what a policy in observe mode would
 * have refused.
 */
export class Violations {
  readonly #found = new Map<string, { violation: Omit<Violation, 'times'>; times: number }>();
  #total = 0;
  #shadows = 0;
  #reached = false;
  readonly #unlisted = new UnlistedPlaces();
  /** Where open connections go, by the number of the entry. */
  readonly #open = new Map<number, Pick<Violation, 'server' | 'name'>>();

  /** How many there are. */
  get total(): number {
    return this.#total;
  }

  /** Calls that a policy in observe mode allowed and would have refused. */
  get shadows(): number {
    return this.#shadows;
  }

  /** Some server of the run was behind the gateway, or some hook was heard: not all went past it. */
  get reached(): boolean {
    return this.#reached;
  }

  /** The different ones, as they came. */
  get list(): readonly Violation[] {
    return [...this.#found.values()].map(({ violation, times }) => ({ ...violation, times }));
  }

  /**
   * Where connections went that no entry of the allowlist names: no violation as long as that is only
   * observed.
   */
  get unlisted(): readonly string[] {
    return this.#unlisted.places;
  }

  take(row: LedgerRow): void {
    if (REACHING.has(row.type)) this.#reached = true;
    if (row.type === 'tool_call_decision' && REFUSALS.has(textAt(row.data, 'decision', 'shadow'))) {
      this.#shadows += 1;
    }
    this.#unlisted.take(row);
    if (row.type === 'action_pending' && row.tool === CONNECT && this.#open.size < MAX_OPEN)
      this.#open.set(row.seq, placeOf(row));
    const violation = violationOf(row, this.#placeOfEnd(row));
    if (violation !== undefined) this.add(violation);
  }

  /** Of the end of a connection: where it went, which stands in the entry that opened it. */
  #placeOfEnd({ type, ref, tool }: LedgerRow): Pick<Violation, 'server' | 'name'> {
    const nowhere = { server: '', name: CONNECT };
    if (type !== 'action_result' || tool !== CONNECT || ref === null) return nowhere;
    const place = this.#open.get(ref) ?? nowhere;
    this.#open.delete(ref);
    return place;
  }

  add(violation: Omit<Violation, 'times'>): void {
    this.#total += 1;
    const { server, name, what, rule, code } = violation;
    const key = JSON.stringify([server, name, what, rule, code]);
    const known = this.#found.get(key);
    if (known !== undefined) known.times += 1;
    else if (this.#found.size < MAX_DIFFERENT) this.#found.set(key, { violation, times: 1 });
  }
}

function violationOf(
  row: LedgerRow,
  place: Pick<Violation, 'server' | 'name'>,
): Omit<Violation, 'times'> | undefined {
  const { type, code, data } = row;
  switch (type) {
    case 'tool_call_decision':
      return code !== null && REFUSALS.has(code) ? refusal(row, code, objectAt(data, 'decision')) : undefined;
    case 'tool_call_end': {
      // Allowed first, and refused by a policy that was loaded before the call was made.
      const decision = objectAt(data, 'decision');
      const action = textAt(decision, 'action');
      return REFUSALS.has(action) ? refusal(row, action, decision) : undefined;
    }
    case 'tools_held': {
      if (textAt(data, 'mode') !== 'hold') return undefined;
      const reason = `${textAt(data, 'count')} of its tools are not as they were approved`;
      return { ...placeOf(row), what: 'HELD', rule: '', code: 'TOOL_HELD', reason };
    }
    case 'message_dropped': {
      const reason = textAt(data, 'reason');
      return {
        ...placeOf(row),
        what: 'DROPPED',
        rule: '',
        code: reason,
        reason: `${textAt(data, 'count') || 'a'} message${textAt(data, 'count') === '' ? '' : 's'} could not be judged`,
      };
    }
    case 'action_rejected': {
      const error = objectAt(data, 'error');
      const reason = textAt(error, 'message');
      return { ...placeOf(row), what: 'REJECTED', rule: '', code: textAt(error, 'code'), reason };
    }
    case 'action_result': {
      // Let through by its name, and refused for what came first on it.
      if (row.tool !== CONNECT || textAt(data, 'outcome') !== 'refused') return undefined;
      const error = objectAt(data, 'error');
      const reason = textAt(error, 'message');
      return { ...place, what: 'REJECTED', rule: '', code: textAt(error, 'code'), reason };
    }
    case 'spool_ingested': {
      if (code === 'success') return undefined;
      const reason = 'calls were made without a gateway, and what is said of them is not believed';
      return { ...placeOf(row), what: 'UNPROVEN', rule: '', code: textAt(data, 'reason'), reason };
    }
    case 'hook_event': {
      const found = unjudged(data);
      return found === undefined ? undefined : { ...placeOf(row), what: 'UNPROVEN', rule: '', ...found };
    }
    default:
      return undefined;
  }
}

function refusal(row: LedgerRow, what: string, decision: JsonObject): Omit<Violation, 'times'> {
  return {
    ...placeOf(row),
    what,
    rule: textAt(decision, 'rule_id'),
    code: textAt(decision, 'explain', 'reason_code'),
    reason: textAt(decision, 'explain', 'summary'),
  };
}

function placeOf({ tool, data }: LedgerRow): Pick<Violation, 'server' | 'name'> {
  if (tool === null) return { server: textAt(data, 'server_name'), name: textAt(data, 'action') };
  if (tool === CONNECT) {
    const facts = objectAt(data, 'facts');
    const host = textAt(facts, 'host');
    const shown = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    const place = host === '' ? '' : ` ${shown}:${textAt(facts, 'port')}`;
    return { server: textAt(facts, 'server_name'), name: `${CONNECT}${place}` };
  }
  if (tool === NAME) return { server: '', name: `${NAME} ${destinationOf({ tool, data })}` };
  if (typeof tool === 'string') return { server: '', name: tool };
  const [server, name] = tool;
  return { server, name };
}
