import { type JsonObject, type PayloadOf, readVerifierKey, SublError } from '@subluminal/core-types';
import { type Ledger, LedgerProver, type SignedHead } from '@subluminal/ledger';
import { type RememberParts, remember } from './remember.js';
import { type WitnessClientParts, askWitness } from './witness-client.js';
import { type ActionOf, Mutex, operate } from '@subluminal/gateway';

export interface AuditAnchorParts extends RememberParts {
  readonly ledger: Pick<Ledger, 'flushHead'>;
  readonly ledgerDb: string;
  readonly witnesses: WitnessClientParts;
}

/** `audit.anchor`: a witness cosigns the newest head. */
export function auditAnchor(parts: AuditAnchorParts): ActionOf<'audit.anchor'> {
  // One after the other: a witness that has meanwhile seen a newer head of ours must not look like a
  // contradiction.
  const mutex = new Mutex();
  return operate((payload, { signal }) => mutex.take(() => anchorAtWitness(parts, payload, signal)));
}

async function anchorAtWitness(
  parts: AuditAnchorParts,
  { url, witness }: PayloadOf<'audit.anchor'>,
  signal: AbortSignal,
): Promise<JsonObject> {
  const key = readVerifierKey(witness);
  if (key?.role !== 'cosignature') {
    throw new SublError('invalid_request', `\`${witness}\` is not the verifier key of a witness`, {
      help: 'it is the `vkey` that `sub witness` prints when it listens',
    });
  }
  await parts.ledger.flushHead('idle');
  const prover = new LedgerProver(parts.ledgerDb);
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
    ({ line, timeS } = await askWitness(parts.witnesses, question, signal));
  } finally {
    prover.close();
  }
  const { note, size, root } = head;
  const evidence = { witness, cosignature: line.trimEnd() };
  const recorded = await remember(parts, { kind: 'witness', target: url, size, root, evidence });
  return { ...recorded, note: `${note}${line}`, witness: key.name, time: timeS };
}
