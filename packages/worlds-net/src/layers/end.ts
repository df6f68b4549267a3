import { isErrorCode, type JsonObject, type LayerEndPayload, numberAt, redact } from '@subluminal/core-types';
import {
  type ActionOf,
  type Outcome,
  pendingEntry,
  REACHES_NOTHING,
  type RecordedSteps,
  refuse,
  resultEntry,
  success,
} from '@subluminal/gateway';

type Call = Parameters<ActionOf<'layer.end'>>[0];
type EntryInput = ReturnType<typeof resultEntry>;

/** The part of a reader of the ledger that finds a decision, and whether it has its result. */
export interface DecisionReader {
  holds(seq: number): boolean;
  entry(seq: number):
    | {
        readonly type: string;
        readonly tool: string | readonly string[] | null;
        readonly data: JsonObject;
      }
    | undefined;
  /** The entry that refers to this one. */
  referring(seq: number): unknown;
  close(): void;
}

const BEGUN: ReadonlySet<string> = new Set(['layer.commit', 'layer.discard', 'layer.recover']);

/**
 * `layer.end`: the result of the entry that began it. A start of the gateway has closed that as interrupted
 * meanwhile, or another `layer.end` has: then it is an action of its own, that names the entry. The end of a
 * recovery is that of what was cut off, too.
 */
export function layerEnd(openReader: () => DecisionReader): ActionOf<'layer.end'> {
  return (call, payload) => {
    const begun = begunBy(openReader, payload.begun);
    return {
      ...REACHES_NOTHING,
      whenStopped: 'served',
      whenFull: 'served',
      ...stepsOf(call, payload, begun),
    };
  };
}

interface Decision {
  readonly seq: number;
  readonly action: string;
  readonly isOpen: boolean;
}

interface Begun extends Decision {
  /** The decisions that it has brought to an end, and that have no result yet. */
  readonly cutOff: readonly Decision[];
}

/** A recovery may have been cut off itself, and so on. */
const MOST_CUT_OFF = 16;

function begunBy(openReader: () => DecisionReader, seq: number): Begun | undefined {
  const reader = openReader();
  try {
    const found = decisionAt(reader, seq);
    if (found === undefined) return undefined;
    const cutOff: Decision[] = [];
    let { before } = found;
    for (let left = MOST_CUT_OFF; left > 0 && before !== undefined && before < seq; left -= 1) {
      const one = decisionAt(reader, before);
      if (one?.isOpen === true) cutOff.push(one);
      before = one?.before;
    }
    return { ...found, cutOff };
  } finally {
    reader.close();
  }
}

function decisionAt(
  reader: DecisionReader,
  seq: number,
): (Decision & { readonly before: number | undefined }) | undefined {
  const row = reader.holds(seq) ? reader.entry(seq) : undefined;
  if (row?.type !== 'action_pending' || typeof row.tool !== 'string' || !BEGUN.has(row.tool))
    return undefined;
  const isOpen = reader.referring(seq) === undefined;
  return { seq, action: row.tool, isOpen, before: numberAt(row.data, 'layer', 'begun') };
}

const CUT_OFF = { code: 'interrupted', message: 'it was cut off' } as const;

/** The result of each decision that a recovery has ended. */
function cutOffEntries(call: Call, { cutOff }: Begun): readonly EntryInput[] {
  return cutOff.map(({ seq, action }) => ({
    ...resultEntry(call, { status: 'error', error: CUT_OFF }, seq, call.now),
    tool: action,
  }));
}

function stepsOf(
  call: Call,
  payload: LayerEndPayload,
  begun: Begun | undefined,
): Pick<RecordedSteps, 'result' | 'record' | 'execute'> {
  if (begun === undefined) {
    const refusal = refuse('not_found', `entry \`${payload.begun}\` began no decision on a layer`);
    return { result: 'none', record: () => refusal, execute: () => refusal };
  }
  const layer = endData(payload);
  const error = errorOf(payload);
  if (begun.isOpen) {
    const entry = (): EntryInput => ({
      ...resultEntry(
        call,
        {
          status: error === undefined ? 'success' : 'error',
          ...(error === undefined ? {} : { error }),
          facts: { layer },
        },
        payload.begun,
        call.now,
      ),
      tool: begun.action,
    });
    return {
      result: 'none',
      record: () => [entry(), ...cutOffEntries(call, begun)],
      execute: () => success({}),
    };
  }
  const told = {
    layer: { begun: payload.begun, ...layer, ...(error === undefined ? {} : { error: { ...error } }) },
  };
  return {
    result: 'now',
    record: () => [pendingEntry(call, call.now, { layer: { begun: payload.begun } })],
    execute: () => ({ ...success({}), facts: told }),
  };
}

function endData({ done, left, exit, full }: LayerEndPayload): JsonObject {
  return { ...(done === undefined ? {} : { done }), left, exit, ...(full === undefined ? {} : { full }) };
}

function errorOf({ error }: LayerEndPayload): Outcome['error'] {
  if (error === undefined) return undefined;
  const { code, message } = error;
  return { code: isErrorCode(code) ? code : 'failed', message: redact(message).text };
}
