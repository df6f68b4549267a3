import { existsSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { createLedger, openLedger, type Durability, type Ledger } from '@subluminal/ledger';
import type { Clock, Identity, IdentityStore, RandomBytes } from '@subluminal/gateway';
import { headsLogPath } from './heads-log.js';
import { loadSigningKey } from './signing-key.js';

export interface HomeLedgerParts {
  readonly paths: HomePaths;
  readonly identities: IdentityStore;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly version: string;
  readonly durability: Durability;
  /** How large a file of the ledger becomes; Infinity for any size. */
  readonly segmentBytes: number;
  /** Where `heads.log` is, where configuration or command line say so. */
  readonly headsLog: string | undefined;
}

/** The ledger of a home with the identity that it belongs to. */
export interface HomeLedger {
  readonly ledger: Ledger;
  readonly identity: Identity;
  readonly headsLog: string;
}

/**
 * Opens the ledger of a home, and creates it in a home that never had one. A file that is missing later is a
 * loss to be reported, never filled up: `gateway.db` remembers which ledger it belongs to. ARCHITECTURE.md,
 * "Keys, credentials, runs".
 *
 * @throws SublError `ledger_missing`, `ledger_incomplete`, `ledger_unsafe`, `ledger_corrupt`, `key_missing`,
 * `home_too_old`, `not_available` (a later version wrote the ledger).
 */
export async function openHomeLedger(parts: HomeLedgerParts): Promise<HomeLedger> {
  const { paths, identities, clock, random, version, durability } = parts;
  const known = identities.read();
  const exists = existsSync(paths.ledgerDb);
  if (known === undefined && exists) {
    throw new SublError(
      'ledger_incomplete',
      `\`${paths.ledgerDb}\` belongs to a gateway whose gateway.db is gone`,
      {
        help: 'restore gateway.db, or begin anew with `sub up --new-ledger`, which sets what is left aside',
      },
    );
  }
  if (known !== undefined && known.fingerprint !== null && !exists) {
    throw new SublError('ledger_missing', `the ledger \`${paths.ledgerDb}\` is gone`, {
      help: 'restore it from a backup, or begin anew with `sub up --new-ledger`, which sets what is left aside',
    });
  }
  const identity = known ?? identities.create(random, clock);
  const { ledgerId, createdMs } = identity;
  const { sealKey: sealKeyPath } = paths;
  const signingKey = loadSigningKey(paths.logKey, { create: !exists });
  if (!exists) createLedger({ path: paths.ledgerDb, ledgerId, createdMs, version, signingKey, sealKeyPath });
  const headsLog = headsLogPath(paths, parts.headsLog, ledgerId);
  const ledger = await openLedger({
    path: paths.ledgerDb,
    signingKey: { privateKey: signingKey },
    sealKeyPath,
    headsLog,
    durability,
    segmentBytes: parts.segmentBytes,
    clock,
  });
  try {
    const expected = identity.fingerprint ?? ledger.genesisFingerprint;
    if (ledger.ledgerId !== ledgerId || ledger.genesisFingerprint !== expected) {
      throw new SublError(
        'ledger_corrupt',
        `\`${paths.ledgerDb}\` is not the ledger that this home began with`,
        {
          help: 'restore the ledger that belongs to this home',
        },
      );
    }
    identities.pin(ledger.genesisFingerprint);
  } catch (error) {
    // Its writer lives in a thread: that would keep the process, and its lock on the home, although nothing
    // is served.
    await ledger.close();
    throw error;
  }
  return { ledger, identity, headsLog };
}
