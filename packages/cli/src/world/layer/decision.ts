import {
  type FsDiff,
  isSublError,
  type JsonValue,
  type LayerCommitPayload,
  type LayerDiscardPayload,
  type LayerEndPayload,
  type LayerRecoverPayload,
  numberAt,
  startOf,
  SublError,
} from '@subluminal/core-types';
import { ownIdentity } from '@subluminal/ipc';
import { type LayerAbout, markBegun, type RecordRecovery, unmarkBegun } from '@subluminal/layers';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import type { Call } from '../../program/call.js';
import { whole } from '../../program/flags.js';
import { EXIT } from '../../program/exit/codes.js';
import { report } from '../../program/report.js';
import { asideLines } from './aside-lines.js';
import { claimed } from './take.js';

/** The flag by which the gateway's page says that somebody asked there. */
export const ASKED_FLAG = {
  asked: whole('<entry>', 'the entry by which a page asked: the gateway looks whether it did', 1),
};

type Facts<P> = Omit<P, 'layer_id' | 'folder' | 'run_id' | 'fs_diff' | 'asked'>;
/** All that is recorded of a decision before it begins, but for its layer. */
export type WithDiff<P> = Facts<P> & { readonly fs_diff: FsDiff };

/** A decision on a layer as it is recorded before it is carried out. */
export type Decision =
  | { readonly action: 'layer.commit'; readonly facts: WithDiff<LayerCommitPayload> }
  | { readonly action: 'layer.discard'; readonly facts: WithDiff<LayerDiscardPayload> }
  | { readonly action: 'layer.recover'; readonly facts: Facts<LayerRecoverPayload> };

/** The end of a decision, as it is recorded. */
export type DecisionEnd = Omit<LayerEndPayload, 'begun' | 'error'>;

/** A decision that was carried out. */
export interface Decided<T> {
  readonly value: T;
  /** The entry that began it. */
  readonly entry: number;
  /** Its end is recorded, too. If not, that was told. */
  readonly isTold: boolean;
}

const BROKEN_OFF: DecisionEnd = { left: [], exit: EXIT.failed };
/** The longest message that an end holds. */
const MOST_LETTERS = 1000;

/**
 * Carries out a decision on a layer. The gateway has recorded it before `work` begins, else nothing is done;
 * its end is recorded behind that. Throws what the gateway refuses it with, and the errors of `work`.
 */
export async function decided<T>(
  call: Call<{ readonly asked?: number | undefined }>,
  about: LayerAbout,
  { action, facts }: Decision,
  work: () => Promise<{ readonly value: T; readonly end: DecisionEnd }>,
): Promise<Decided<T>> {
  const { place, project, runId } = about;
  const { asked } = call.flags;
  const by = asked === undefined || action === 'layer.recover' ? {} : { asked };
  const named = { layer_id: place.id, folder: project, run_id: runId };
  const entry = await beginning(call, action, { ...named, ...by, ...facts });
  try {
    markBegun(place, entry, ownIdentity());
    const { value, end } = await work();
    return { value, entry, isTold: await told(call, about, { begun: entry, ...end }) };
  } catch (error) {
    const message = startOf(error instanceof Error ? error.message : String(error), MOST_LETTERS);
    const code = isSublError(error) ? error.code : 'failed';
    await told(call, about, { begun: entry, ...BROKEN_OFF, error: { code, message } });
    throw error;
  }
}

/**
 * Records that a decision which was cut off is brought to an end, and how that went. Two that find it at once
 * do not both do so: errors are those of `claimed`, too.
 */
export function recoveryOf(call: Call, about: LayerAbout): RecordRecovery {
  return async ({ begun, unsettled }, recover) => {
    await assertOutsideRun(call);
    await claimed(call.home, about, call.session.now());
    const facts = { ...(begun === undefined ? {} : { begun }), unsettled };
    const { entry, value } = await decided(call, about, { action: 'layer.recover', facts }, () => {
      const unplaced = recover();
      return Promise.resolve({ value: unplaced, end: { done: unsettled, left: [], exit: EXIT.done } });
    });
    const whose = begun === undefined ? '' : ` (entry ${begun})`;
    call.output.note(
      `sub: a commit or discard${whose} was cut off, and is brought to an end: entry ${entry}`,
    );
    for (const line of asideLines(value)) call.output.note(`sub: ${line}`);
  };
}

/** The entry of a decision, once the gateway has recorded that it begins. */
async function beginning(
  call: Call,
  action: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<number> {
  try {
    const entry = numberAt(await ask(call, action, payload), 'seq');
    if (entry !== undefined) return entry;
    throw new SublError('failed', 'it does not say which entry it is');
  } catch (cause) {
    if (!isSublError(cause)) throw cause;
    const { code, message, help } = cause;
    throw new SublError(code, `nothing was changed, since the gateway has not recorded it: ${message}`, {
      cause,
      ...(help === undefined ? {} : { help }),
    });
  }
}

async function ask(
  call: Call,
  action: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<JsonValue> {
  await ensureGateway(call, 'automatic');
  return askOperator(call.home, call.session.now, action, payload);
}

/** False if it could not be recorded: the layer keeps the mark, and the next verb that looks at it tells. */
async function told(call: Call, { place }: LayerAbout, end: LayerEndPayload): Promise<boolean> {
  try {
    await ask(call, 'layer.end', end);
  } catch (error) {
    if (!isSublError(error)) throw error;
    const message = `the end of entry ${end.begun} could not be recorded: ${error.message}`;
    report(new SublError('in_doubt', message, { help: 'what was changed so far is changed' }), call.output);
    return false;
  }
  unmarkBegun(place);
  return true;
}
