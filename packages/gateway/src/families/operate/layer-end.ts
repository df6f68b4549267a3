import { isErrorCode, type JsonObject, type LayerEndPayload, redact } from '@subluminal/core-types';
import type { EntryInput, LedgerReader } from '@subluminal/ledger';
import type { Call } from '../../pipeline/call.js';
import { pendingEntry, resultEntry } from '../../pipeline/entries.js';
import { type Outcome, refuse, success } from '../../pipeline/reply.js';
import type { ActionOf, RecordedSteps } from '../../pipeline/steps.js';
import { REACHES_NOTHING } from '../reaches-nothing.js';

const BEGUN: ReadonlySet<string> = new Set(['layer.commit', 'layer.discard', 'layer.recover']);

/**
 * `layer.end`: the result of the entry that began it. A start of the gateway has closed that as interrupted
 * meanwhile, or another `layer.end` has: then it is an action of its own, that names the entry.
 */
export function layerEnd(openReader: () => LedgerReader): ActionOf<'layer.end'> {
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

type Begun = { readonly action: string; readonly isOpen: boolean } | undefined;

function begunBy(openReader: () => LedgerReader, seq: number): Begun {
  const reader = openReader();
  try {
    const row = reader.holds(seq) ? reader.entry(seq) : undefined;
    if (row?.type !== 'action_pending' || typeof row.tool !== 'string' || !BEGUN.has(row.tool))
      return undefined;
    return { action: row.tool, isOpen: reader.referring(seq) === undefined };
  } finally {
    reader.close();
  }
}

function stepsOf(
  call: Call,
  payload: LayerEndPayload,
  begun: Begun,
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
        { status: error === undefined ? 'success' : 'error', ...(error === undefined ? {} : { error }), facts: { layer } },
        payload.begun,
        call.now,
      ),
      tool: begun.action,
    });
    return { result: 'none', record: () => [entry()], execute: () => success({}) };
  }
  const told = { layer: { begun: payload.begun, ...layer, ...(error === undefined ? {} : { error: { ...error } }) } };
  return {
    result: 'now',
    record: () => [pendingEntry(call, call.now, { layer: { begun: payload.begun } })],
    execute: () => ({ ...success({}), facts: told }),
  };
}

function endData({ done, left, exit, full }: LayerEndPayload): JsonObject {
  return { done, left, exit, ...(full === undefined ? {} : { full }) };
}

function errorOf({ error }: LayerEndPayload): Outcome['error'] {
  if (error === undefined) return undefined;
  const { code, message } = error;
  return { code: isErrorCode(code) ? code : 'failed', message: redact(message).text };
}
