import { type JsonObject, numberAt, objectAt, textAt, textsAt, valueAt } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';

/** Changes that were left, and why, by the names of the record. */
export interface LeftChanges {
  readonly why: string;
  readonly count: number;
}

/** A person's decision on a layer, and how far it came. */
export interface LayerDecision {
  /** Empty if it is the end of another decision. */
  readonly layerId: string;
  readonly folder: string;
  readonly runId: string;
  /** Whose decision it was, as the gateway knew the caller: `operator`. */
  readonly by: string;
  /** The changes that it is about, as `fs_diff`; null: it tells none. */
  readonly diff: JsonObject | null;
  /** The first of those that a person is asked about, and how many there are. */
  readonly risky: readonly string[];
  readonly riskyCount: number;
  /** The paths that were named are taken over also where the project had changed. */
  readonly isOverwriting: boolean;
  /** By its end, else by its plan. */
  readonly left: readonly LeftChanges[];
  /** Undefined as long as it has no end. */
  readonly done: number | undefined;
  readonly exit: number | undefined;
  readonly isFull: boolean;
  /** The entry of a decision that was cut off, or ended too late. */
  readonly begun: number | undefined;
}

/** The entry that begins a decision, and the one that ends it. */
interface DecisionRows {
  readonly first: LedgerRow;
  readonly last: LedgerRow | null;
}

/** The decision on a layer that a record is; undefined for every other record. */
export function layerDecisionOf({ first, last }: DecisionRows): LayerDecision | undefined {
  const { tool, data } = first;
  if (first.type !== 'action_pending' || typeof tool !== 'string' || !tool.startsWith('layer.'))
    return undefined;
  const begun = objectAt(data, 'layer');
  const end = objectAt(last?.data ?? null, 'layer');
  const diff = valueAt(begun, 'fs_diff');
  return {
    layerId: textAt(begun, 'layer_id'),
    folder: textAt(begun, 'folder'),
    runId: textAt(begun, 'run_id'),
    by: textAt(data, 'source'),
    diff: diff === null ? null : objectAt(begun, 'fs_diff'),
    risky: textsAt(begun, 'risky'),
    riskyCount: numberAt(begun, 'risky_count') ?? 0,
    isOverwriting: valueAt(begun, 'overwrite') === true,
    left: leftIn(valueAt(end, 'left') === null ? begun : end),
    done: numberAt(end, 'done'),
    exit: numberAt(end, 'exit'),
    isFull: valueAt(end, 'full') === true,
    begun: numberAt(begun, 'begun'),
  };
}

/** The paths from the folder on that a decision names, and whether these are all that it is about. */
export function changedPaths({ diff, risky }: LayerDecision): {
  readonly paths: readonly string[];
  readonly isWhole: boolean;
} {
  const told = textsAt(diff, 'paths');
  const of = (key: string): number => numberAt(diff, key) ?? 0;
  const count = of('added') + of('modified') + of('deleted');
  const isWhole = told.length === count && valueAt(diff, 'truncated') !== true;
  // Each with a sign and a blank before it.
  return { paths: [...told.map((line) => line.slice(2)), ...risky], isWhole };
}

/** The same for programs; the names are documented in docs/cli.md. */
export function layerDecisionJson(decision: LayerDecision): JsonObject {
  const { layerId, folder, runId, diff, risky, riskyCount, left, done, exit, isFull, begun } = decision;
  return {
    layer_id: layerId,
    folder,
    run_id: runId,
    fs_diff: diff,
    risky: [...risky],
    risky_count: riskyCount,
    overwrite: decision.isOverwriting,
    left: left.map((one) => ({ ...one })),
    done: done ?? null,
    exit: exit ?? null,
    full: isFull,
    begun: begun ?? null,
  };
}

function leftIn(data: JsonObject): readonly LeftChanges[] {
  const left = valueAt(data, 'left');
  if (!Array.isArray(left)) return [];
  return left.map((one) => ({ why: textAt(one, 'why'), count: numberAt(one, 'count') ?? 0 }));
}
