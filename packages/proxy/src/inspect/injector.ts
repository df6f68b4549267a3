import { createSecureContext, type SecureContext } from 'node:tls';
import type { Authorities } from '../authority/authorities.js';
import type { LiveSecret, Placeholders } from '@subluminal/gateway';
import { Denial } from '../denial.js';
import type { NetAsk } from '../net-ask.js';
import type { Automata } from './automata.js';
import type { Sought } from './conceal.js';
import { isIn, putInto, soughtIn } from './secret-texts.js';
import type { AbsoluteRequest } from '../client/request-head.js';

/** Contexts that are kept; one is made anew with its certificate. */
const MAX_CONTEXTS = 64;

/** A connection of a run that may be inspected. */
export interface Inspected {
  readonly runId: string;
  readonly ask: Pick<NetAsk, 'serverName' | 'port'>;
  /** Canonical. */
  readonly host: string;
}

/** What a connection is inspected with. */
export interface InjectWith {
  readonly live: readonly LiveSecret[];
  readonly context: SecureContext;
  /** The values that must not come back. */
  readonly sought: Sought;
}

/**
 * Gives connections that were decided so what they are inspected with, and tells which of them still may be.
 */
export class Injector {
  readonly #placeholders: Placeholders;
  readonly #authorities: Pick<Authorities, 'leafOf'>;
  readonly #automata: Automata;
  readonly #contexts = new Map<string, { readonly cert: string; readonly context: SecureContext }>();

  constructor(placeholders: Placeholders, authorities: Pick<Authorities, 'leafOf'>, automata: Automata) {
    this.#placeholders = placeholders;
    this.#authorities = authorities;
    this.#automata = automata;
  }

  /**
   * The secrets of a connection, and a certificate for its host. Throws `SublError`, and `Denial` where there
   * is none any more.
   */
  for({ runId, ask: { serverName = '', port }, host }: Inspected): Omit<InjectWith, 'sought'> {
    const placed = this.#placeholders.at(runId, serverName, host, port);
    if (placed.length === 0)
      throw new Denial('secret_refused', `no secret of this server is bound to \`${host}:${port}\` any more`);
    return { live: this.#placeholders.valuesOf(runId, placed), context: this.#contextOf(host) };
  }

  /** Makes what must not come back ready to be looked for. */
  soughtFor(live: readonly LiveSecret[]): Promise<Sought> {
    return soughtIn(live, this.#automata);
  }

  /** Whether the same secrets would be put in now. One that cannot be told is none. */
  isStillBound({ runId, ask: { serverName = '', port }, host }: Inspected, had: readonly string[]): boolean {
    try {
      const now = this.#placeholders.at(runId, serverName, host, port).map(({ injectAs }) => injectAs);
      return had.every((name) => now.includes(name));
    } catch {
      return false;
    }
  }

  /**
   * Throws `secret_refused` where a request without TLS, to a host that secrets are bound to, has a
   * placeholder in its head.
   */
  assertNone(
    runId: string,
    host: string,
    { target, fields }: Pick<AbsoluteRequest, 'target' | 'fields'>,
  ): void {
    const bound = this.#placeholders.boundTo(runId, host);
    if (bound.length === 0) return;
    const none = { injectAs: '', secretRef: '', source: 'store', places: [] } as const;
    const live = bound.map((placeholder) => ({ ...none, placeholder, value: placeholder }));
    const isThere =
      isIn(live, target) || fields.some(([, value]) => putInto(live, value).injected.length > 0);
    if (isThere)
      throw new Denial(
        'secret_refused',
        `the request to \`${host}\` holds a placeholder, and is not encrypted: secrets are put in over TLS only`,
      );
  }

  #contextOf(host: string): SecureContext {
    const { cert, key } = this.#authorities.leafOf(host);
    const known = this.#contexts.get(host);
    if (known?.cert === cert) return known.context;
    const context = createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
    if (this.#contexts.size >= MAX_CONTEXTS) this.#contexts.clear();
    this.#contexts.set(host, { cert, context });
    return context;
  }
}
