import { deriveKey, encodeKey, type Credential, type CredentialKind } from '@subluminal/core-types';

/** Bytes of a master key. */
export const KEY_BYTES = 32;

/** The one epoch so far. Raising it for an id would revoke every key that was handed out for it. */
const EPOCH = 1;

type KeyOfAway = 'snapshot' | 'spool-secret' | 'spool-claim';
type OwnKey = KeyOfAway | 'authority' | 'http-enrol' | 'placeholder' | 'secret-store' | 'told' | 'ui-host';

/**
 * Derives every client's key from the master key, which never leaves this object. A key is bound to what it
 * is for: the key of a run that calls itself `operator` is not the operator's.
 */
export class KeyRing {
  readonly ledgerId: string;
  readonly #master: Uint8Array;

  constructor(master: Uint8Array, ledgerId: string) {
    this.#master = master;
    this.ledgerId = ledgerId;
  }

  /** The key of a client, whether or not such a client exists: who asks must not see the difference. */
  derive(kind: CredentialKind, id: string, epoch: number): Uint8Array {
    return deriveKey(this.#master, this.ledgerId, kind, id, epoch);
  }

  /** What a client is given to shake hands with. */
  credential(kind: CredentialKind, id: string): Credential {
    const key = encodeKey(this.derive(kind, id, EPOCH));
    return { v: 1, kind, id, epoch: EPOCH, ledger_id: this.ledgerId, key };
  }

  /** A key that is nobody's credential: no handshake can ask for a key of these kinds. */
  deriveOwn(kind: OwnKey, id: string): Uint8Array {
    return deriveKey(this.#master, this.ledgerId, kind, id, EPOCH);
  }

  /** The key that the run's ticket holds. */
  runKey(id: string): Uint8Array {
    return this.derive('run', id, EPOCH);
  }

  /** Tells whether keys of that epoch are still good. */
  isCurrent(epoch: number): boolean {
    return epoch === EPOCH;
  }
}
