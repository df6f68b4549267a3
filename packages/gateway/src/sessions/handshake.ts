import {
  clientProof,
  deriveSession,
  handshakeTranscript,
  isSublError,
  macEquals,
  parseJson,
  serverProof,
  SublError,
  CREDENTIAL_KINDS,
  type CredentialKind,
  type SessionKeys,
} from '@subluminal/core-types';
import * as z from 'zod';
import type { RandomBytes } from '../base/clock.js';
import type { KeyRing } from '../base/keys.js';

const Nonce = z.string().regex(/^[A-Za-z0-9_-]{22,86}$/);

const Hello = z.strictObject({
  v: z.literal(1),
  kind: z.enum(CREDENTIAL_KINDS),
  id: z.string().min(1).max(128),
  epoch: z.number().int().positive(),
  nc: Nonce,
});

const Proof = z.strictObject({ proof_c: z.string().max(128) });

/**
 * The identity that a peer has shown: it holds the key of that kind and id. Whether such a client exists is
 * asked afterwards.
 */
export interface ShownIdentity {
  readonly kind: CredentialKind;
  readonly id: string;
  readonly epoch: number;
  readonly keys: SessionKeys;
}

/**
 * The gateway's side of one handshake (ARCHITECTURE.md, "The socket"). Every id gets a proof, from a key that
 * is derived whether or not the id exists, so that the answers tell nothing about which runs there are. A
 * proof is bound to the transcript and to the role: relayed, reflected and role-swapped proofs do not verify.
 */
export class ServerHandshake {
  readonly #keys: KeyRing;
  readonly #random: RandomBytes;
  #pending: { readonly identity: ShownIdentity; readonly expected: string } | undefined;

  constructor(keys: KeyRing, random: RandomBytes) {
    this.#keys = keys;
    this.#random = random;
  }

  /**
   * Takes the client's first frame and gives the answer to it.
   *
   * @throws SublError `handshake_refused`.
   */
  answer(text: string): string {
    const hello = read(text, Hello);
    const ns = Buffer.from(this.#random(32)).toString('base64url');
    const transcript = handshakeTranscript({ ...hello, ledger_id: this.#keys.ledgerId, ns });
    const keys = deriveSession(this.#keys.derive(hello.kind, hello.id, hello.epoch), transcript);
    const { kind, id, epoch } = hello;
    this.#pending = { identity: { kind, id, epoch, keys }, expected: clientProof(keys.hs, transcript) };
    return JSON.stringify({
      v: 1,
      ledger_id: this.#keys.ledgerId,
      ns,
      proof_s: serverProof(keys.hs, transcript),
    });
  }

  /**
   * Takes the client's second frame. Its proof has one try.
   *
   * @throws SublError `handshake_refused`.
   */
  conclude(text: string): ShownIdentity {
    const pending = this.#pending;
    this.#pending = undefined;
    const { proof_c: proof } = read(text, Proof);
    if (pending === undefined || !macEquals(proof, pending.expected)) throw refused();
    return pending.identity;
  }
}

/** The one refusal: who is refused learns nothing of the reason. */
export function refused(): SublError {
  return new SublError('handshake_refused', 'the gateway refused the handshake');
}

/** The frame that a refused peer gets, unsigned because there is no key that both sides would trust. */
export const REFUSED_FRAME = JSON.stringify({
  error: { code: 'handshake_refused', message: 'the gateway refused the handshake' },
});

function read<T>(text: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = parseJson(text, { maxDepth: 4 });
  } catch (error) {
    if (isSublError(error)) throw refused();
    throw error;
  }
  const checked = schema.safeParse(value);
  if (!checked.success) throw refused();
  return checked.data;
}
