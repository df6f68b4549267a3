import type { AuthorityStore } from './authority-store.js';
import { type Clock, type RandomBytes, seal, unseal } from '@subluminal/gateway';
import { issueAuthority, issueLeaf, type Issued, keyOf, keyText } from './certificate.js';

const DAY_MS = 86_400_000;
const AUTHORITY_MS = 3650 * DAY_MS;
/** A server that starts shall not live longer than what it trusts. */
const RENEWED_MS = 365 * DAY_MS;
const LEAF_MS = 2 * DAY_MS;
/** Leaves that are kept, in memory alone. */
const MAX_LEAVES = 64;

/** What the authorities of a home are kept and made with. */
export interface AuthorityParts {
  readonly store: AuthorityStore;
  /** Seals their keys. */
  readonly key: Uint8Array;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

/** A leaf with its chain, as TLS shows it. */
export interface Shown {
  readonly cert: string;
  readonly key: string;
}

/**
 * The certificate authorities of a home: one for each host that secrets are put in for, good for that name
 * alone, so that a new binding changes nothing for servers that run. Their keys are in no file in the clear,
 * and leave this object in no form.
 */
export class Authorities {
  readonly #parts: AuthorityParts;
  readonly #leaves = new Map<string, { readonly shown: Shown; readonly untilMs: number }>();

  constructor(parts: AuthorityParts) {
    this.#parts = parts;
  }

  /**
   * The certificate of a host's authority in PEM; it is made where there is none, or where it ends within a
   * year. Throws `secret_missing` where its key cannot be opened.
   */
  certificateOf(host: string): string {
    const { store, clock } = this.#parts;
    const kept = store.find(host);
    if (kept !== undefined && kept.untilMs > clock() + RENEWED_MS) return kept.certificate;
    this.#leaves.delete(host);
    return this.#make(host).pem;
  }

  /** A certificate for a server of that name. Throws as `certificateOf`. */
  leafOf(host: string): Shown {
    const now = this.#parts.clock();
    const known = this.#leaves.get(host);
    if (known !== undefined && known.untilMs > now + LEAF_MS / 2) return known.shown;
    const authority = this.#authorityOf(host);
    const { random } = this.#parts;
    const leaf = issueLeaf(host, authority, { now, lifeMs: LEAF_MS, random });
    const shown = { cert: `${leaf.pem}${authority.pem}`, key: keyText(leaf.key) };
    this.#leaves.delete(host);
    for (const oldest of this.#leaves.keys()) {
      if (this.#leaves.size < MAX_LEAVES) break;
      this.#leaves.delete(oldest);
    }
    this.#leaves.set(host, { shown, untilMs: leaf.untilMs });
    return shown;
  }

  #authorityOf(host: string): Issued {
    const { store, key, clock } = this.#parts;
    const kept = store.find(host);
    if (kept === undefined || kept.untilMs <= clock()) return this.#make(host);
    return { pem: kept.certificate, key: keyOf(unseal(key, placeOf(host), kept.box)), untilMs: kept.untilMs };
  }

  #make(host: string): Issued {
    const { store, key, clock, random } = this.#parts;
    const made = issueAuthority(host, { now: clock(), lifeMs: AUTHORITY_MS, random });
    const box = seal(key, placeOf(host), keyText(made.key), random);
    store.put(host, { certificate: made.pem, box, untilMs: made.untilMs });
    return made;
  }
}

function placeOf(host: string): string {
  return `authority:${host}`;
}
