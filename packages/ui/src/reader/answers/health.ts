import { type JsonObject, numberAt, objectAt, SublError, textAt } from '@subluminal/core-types';
import { LedgerProver, type LedgerReader, nameOfMissing } from '@subluminal/ledger';
import { coverage } from './coverage.js';
import { around, guardsSay } from './guards.js';
import type { Head, Health, Proof, RawPage } from '../../protocol/health.js';

const MAX_ANCHORS = 20;
const MAX_RAW = 1000;
/** Members of `gateway.status` that are no wing's. */
const OWN: ReadonlySet<string> = new Set([
  'pid',
  'version',
  'protocol',
  'home',
  'socket',
  'started_at',
  'served',
  'connections',
  'runs',
  'questions',
  'panicked',
  'panic',
  'policy',
  'config',
  'ledger',
]);

/** The state of the record and of what guards it, out of `gateway.status` and the ledger. */
export function health(reader: LedgerReader, status: JsonObject, now: () => number): Health {
  const ledger = objectAt(status, 'ledger');
  const guards = Object.fromEntries(Object.entries(status).filter(([name]) => !OWN.has(name)));
  // A seal covers all entries before it.
  const [seal] = reader.byType('seal', { limit: 1 }).rows;
  return {
    ledger,
    anchors: reader
      .byType('anchored', { limit: MAX_ANCHORS })
      .rows.map(({ data, seq, ts }) => ({ seq, ts, facts: data })),
    guards: guardsSay(guards),
    around: around(guards),
    sealed: (seal?.seq ?? 1) - 1,
    newest: numberAt(ledger, 'seq') ?? 0,
    heads_log: textAt(ledger, 'heads_log'),
    config: objectAt(status, 'config'),
    coverage: coverage(reader, now),
    room: {
      budget: textAt(ledger, 'budget', 'level'),
      used: numberAt(ledger, 'budget', 'used_bytes') ?? 0,
      most: numberAt(ledger, 'budget', 'max_bytes') ?? 0,
      queue_depth: numberAt(ledger, 'queue_depth') ?? 0,
      previews: reader.keptPreviews(),
      expired_up_to: reader.expiredUpTo(),
    },
    missing: reader.closedFiles.missing.map(nameOfMissing),
  };
}

/** The newest signed head, and the proof that it continues an older one. */
export function head(ledgerDb: string, older: string | null): Head {
  return withProver(ledgerDb, (prover) =>
    prover.atOnce(() => {
      const { note, root, size } = prover.head();
      return {
        note,
        size,
        root,
        ledger: prover.genesis.ledgerId,
        key: prover.logKeyText,
        growth: older === null ? null : prover.growth(older),
      };
    }),
  );
}

/** The proof of one entry. @throws SublError `not_found`, `ledger_corrupt` */
export function proof(ledgerDb: string, seq: number): Proof {
  return withProver(ledgerDb, (prover) => ({ seq, proof: prover.entry(seq) }));
}

/** Entries as they are hashed. @throws SublError `not_found` */
export function raw(reader: LedgerReader, from: number, to: number): RawPage {
  const rows = reader.rawBetween(from, Math.min(to, from + MAX_RAW - 1));
  const [first] = rows;
  if (first === undefined) throw new SublError('not_found', `there is no entry ${from}`);
  return {
    ledger: reader.genesis.ledgerId,
    prev: first.prev,
    entries: rows.map(({ body, leaf, seq }) => ({ seq, body, leaf })),
  };
}

function withProver<T>(ledgerDb: string, work: (prover: LedgerProver) => T): T {
  const prover = new LedgerProver(ledgerDb);
  try {
    return work(prover);
  } finally {
    prover.close();
  }
}
