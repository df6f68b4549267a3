import {
  type JsonObject,
  type LayerCommitPayload,
  type LayerDiscardPayload,
  type LayerRecoverPayload,
  redact,
  redactFsDiff,
} from '@subluminal/core-types';
import {
  type Action,
  type ActionOf,
  pendingEntry,
  REACHES_NOTHING,
  refuse,
  success,
} from '@subluminal/gateway';
import { askerOf } from './asker.js';
import type { DecisionReader } from './end.js';

type OpenReader = () => DecisionReader;
type Named = Pick<LayerDiscardPayload, 'layer_id' | 'folder' | 'run_id' | 'asked'>;

/** `layer.commit` */
export function layerCommit(openReader: OpenReader): ActionOf<'layer.commit'> {
  return begins<LayerCommitPayload>(
    ({ plan_sha256, fs_diff, risky, risky_count, left, overwrite }) => ({
      plan_sha256,
      fs_diff: redactFsDiff(fs_diff),
      risky: risky.map((path) => redact(path).text),
      risky_count,
      left,
      ...(overwrite === undefined ? {} : { overwrite }),
    }),
    (payload) => askerOf(openReader, 'commit', payload),
  );
}

/** `layer.discard` */
export function layerDiscard(openReader: OpenReader): ActionOf<'layer.discard'> {
  return begins<LayerDiscardPayload>(
    ({ fs_diff, partial }) => ({
      fs_diff: redactFsDiff(fs_diff),
      ...(partial === undefined ? {} : { partial }),
    }),
    (payload) => askerOf(openReader, 'discard', payload),
  );
}

/** `layer.recover` */
export function layerRecover(): ActionOf<'layer.recover'> {
  return begins<LayerRecoverPayload>(({ begun, unsettled }) => ({
    ...(begun === undefined ? {} : { begun }),
    unsettled,
  }));
}

/**
 * The operator's `sub` does the files, once the answer says that this entry is durable; `layer.end` brings
 * the result. A `sub` that is killed leaves the entry open: the end of the next recovery closes it, and so
 * does the next start of a gateway.
 */
function begins<P extends Omit<Named, 'asked'>>(
  facts: (payload: P) => JsonObject,
  asker: (payload: P) => JsonObject | undefined = () => ({}),
): Action<P> {
  return (call, payload) => ({
    ...REACHES_NOTHING,
    whenStopped: 'served',
    whenFull: 'served',
    result: 'later',
    record: () => {
      const { layer_id, folder, run_id } = payload;
      const by = asker(payload);
      if (by === undefined)
        return refuse('not_found', 'by that entry no page has asked for this, or it has its answer');
      const named = { layer_id: redact(layer_id).text, folder: redact(folder).text, run_id };
      return [pendingEntry(call, call.now, { layer: { ...named, ...by, ...facts(payload) } })];
    },
    execute: () => {
      const { pendingSeq: seq } = call;
      if (seq === undefined) throw new Error('a decision on a layer passed without its entry');
      return success({ seq });
    },
  });
}
