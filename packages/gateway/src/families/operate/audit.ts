import { isSublError, type JsonObject, readVerifierKey, SublError } from '@subluminal/core-types';
import { type Ledger, LedgerProver, type SignedHead } from '@subluminal/ledger';
import type { HomePaths } from '@subluminal/ipc';
import { anchoredEntry, type Anchor } from '../../anchors/anchored-entry.js';
import { rememberTarget } from '../../anchors/target-list.js';
import { askWitness, type WitnessClientParts } from '../../anchors/witness-client.js';
import type { Clock } from '../../base/clock.js';
import { errorText, type Logger } from '../../base/logger.js';
import type { PipelineCall } from '../../pipeline/call.js';
import type { ActionHandler } from '../../pipeline/handlers.js';
import { payloadOf } from '../../pipeline/payload.js';
import { success, type Outcome } from '../../pipeline/reply.js';
import type { Recorder } from '../../recording/recorder.js';

/** What the actions on the ledger's proofs and anchors work with. */
export interface AuditHandlerParts {
  readonly paths: HomePaths;
  readonly ledger: Ledger;
  readonly headsLog: string;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly log: Logger;
  readonly witnesses: WitnessClientParts;
}

/** The operator's actions on proofs of the ledger, and on what remembers it outside. */
export function auditHandlers(
  parts: AuditHandlerParts,
): Readonly<Record<'audit.checkpoint' | 'audit.anchored' | 'audit.anchor', ActionHandler>> {
  // One after the other: a witness that has meanwhile seen a newer head of ours must not look like a contradiction.
  let asked: Promise<unknown> = Promise.resolve();
  return {
    'audit.checkpoint': {
      execute: async () => {
        await parts.ledger.flushHead('idle');
        return withProver(parts, (prover) => {
          const { note, size, root } = prover.head();
          return success({ note, size, root });
        });
      },
    },
    'audit.anchored': {
      entries: () => 'own',
      execute: async (call) => {
        const anchor = payloadOf(call, 'audit.anchored');
        withProver(parts, (prover) => prover.assertRoot(anchor));
        return success(await remember(parts, anchor, call));
      },
    },
    'audit.anchor': {
      execute: (call) => {
        const done = asked.then(() => anchorAtWitness(parts, call));
        asked = done.catch(() => undefined);
        return done;
      },
    },
  };
}

async function anchorAtWitness(parts: AuditHandlerParts, call: PipelineCall): Promise<Outcome> {
  const { url, witness } = payloadOf(call, 'audit.anchor');
  const key = readVerifierKey(witness);
  if (key?.role !== 'cosignature') {
    throw new SublError('invalid_request', `\`${witness}\` is not the verifier key of a witness`, {
      help: 'it is the `vkey` that `sub witness` prints when it listens',
    });
  }
  await parts.ledger.flushHead('idle');
  const prover = new LedgerProver(parts.paths.ledgerDb);
  let head: SignedHead;
  let line: string;
  let timeS: number;
  try {
    head = prover.head();
    const { note, size } = head;
    // The witness takes its time, and the ledger may have to go on in another file meanwhile.
    prover.release();
    const growthFrom = (older: number): string => {
      const growth = prover.growthFrom(older, head);
      prover.release();
      return growth;
    };
    const question = { url, key, note, size, growthFrom };
    ({ line, timeS } = await askWitness(parts.witnesses, question, call.signal));
  } finally {
    prover.close();
  }
  const { note, size, root } = head;
  const evidence = { witness, cosignature: line.trimEnd() };
  const recorded = await remember(parts, { kind: 'witness', target: url, size, root, evidence });
  return success({ ...recorded, note: `${note}${line}`, witness: key.name, time: timeS });
}

/** Records an anchor; `call` claims its request id where nothing else has. */
async function remember(parts: AuditHandlerParts, anchor: Anchor, call?: PipelineCall): Promise<JsonObject> {
  const entries = [anchoredEntry(anchor, parts.clock())];
  const seen = call === undefined ? {} : { seen: { runId: null, id: call.requestId } };
  const result = await parts.recorder.append({ entries, ...seen });
  const seq = result.ok ? result.entries[0]?.seq : undefined;
  if (seq === undefined) throw new SublError('replayed', 'this anchor was recorded before');
  if (anchor.kind === 'file' || anchor.kind === 'git') {
    try {
      rememberTarget(parts.headsLog, anchor);
    } catch (error) {
      // The entry stands; only a ledger that is put back behind it would not find the place again.
      parts.log.warn('the place of an anchor was not remembered outside', { error: errorText(error) });
    }
  }
  const { kind, target, size, root } = anchor;
  return { seq, kind, target, size, root };
}

function withProver<T>({ paths }: AuditHandlerParts, work: (prover: LedgerProver) => T): T {
  const prover = new LedgerProver(paths.ledgerDb);
  try {
    return work(prover);
  } catch (error) {
    if (isSublError(error, 'not_found'))
      throw new SublError('invalid_request', error.message, { cause: error });
    throw error;
  } finally {
    prover.close();
  }
}
