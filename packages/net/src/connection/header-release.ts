import {
  canonicalize,
  type HeaderBinding,
  isSublError,
  type PayloadOf,
  type JsonObject,
  redact,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import { type CheckedDestination, parseEndpoint } from '@subluminal/egress';
import {
  type Call,
  type HeaderSecrets,
  type Refusal,
  type Run,
  type SecretStore,
  refuseFor,
} from '@subluminal/gateway';

export interface HeaderReleaseParts {
  readonly headers: Pick<HeaderSecrets, 'boundTo' | 'liveOf' | 'sentTo' | 'noteGiven'>;
  readonly store: Pick<SecretStore, 'used'>;
}

/** The injections of a run that are recorded already, as canonical texts. They go with the run. */
type Noted = WeakMap<object, Set<string>>;

/** The injections that one request brings into the record. */
export interface Releasing {
  readonly entries: readonly EntryInput[];
  /** Called when they are durable. */
  recorded(): void;
}

/**
 * Records which secrets the requests of a run to a remote server hold: once for each run, as long as nothing
 * about one changes.
 */
export class HeaderRelease {
  readonly #parts: HeaderReleaseParts;
  readonly #noted: Noted = new WeakMap();

  constructor(parts: HeaderReleaseParts) {
    this.#parts = parts;
  }

  /**
   * `secret_injection` of each that the run's requests hold from here on, or why one of them cannot be had.
   */
  begin(
    call: Call,
    destination: CheckedDestination,
    { shim_id: shimId, server_name: name, upstream }: PayloadOf<'http.reach'>,
  ): Releasing | Refusal {
    const { headers } = this.#parts;
    const { run } = call;
    const entry = (secret: JsonObject): EntryInput => ({
      type: 'secret_injection',
      ts: call.now,
      runId: call.runId,
      data: { req: call.requestFields, shim_id: shimId, secret },
    });
    const fresh: { binding: HeaderBinding; text: string }[] = [];
    let bound: readonly HeaderBinding[] = [];
    let failed: HeaderBinding | undefined;
    try {
      bound = headers.boundTo(name, parseEndpoint(upstream));
      for (failed of bound) headers.liveOf(failed);
      failed = undefined;
      headers.sentTo(destination, run.id, bound);
    } catch (error) {
      if (!isSublError(error)) throw error;
      const lacking = failed === undefined ? bound : [failed];
      return lacking.length === 0
        ? refuseFor(error)
        : { ...refuseFor(error), entries: lacking.map((binding) => entry(factsOf(binding, false))) };
    }
    const entries: EntryInput[] = [];
    for (const binding of bound) {
      const facts = factsOf(binding, true);
      const text = canonicalize(facts);
      if (this.#noted.get(run)?.has(text) === true) continue;
      fresh.push({ binding, text });
      entries.push(entry(facts));
    }
    return { entries, recorded: () => this.#recorded(run, fresh) };
  }

  #recorded(run: Run, fresh: readonly { readonly binding: HeaderBinding; readonly text: string }[]): void {
    const noted = this.#noted.get(run) ?? new Set();
    this.#noted.set(run, noted);
    for (const { binding, text } of fresh) {
      noted.add(text);
      this.#parts.headers.noteGiven(run.id, binding.server_name);
      if (binding.source === 'store') this.#parts.store.used(binding.secret_ref);
    }
  }
}

/** Names, and where it is sent to. What stands behind the question mark may be a secret of its own. */
function factsOf(
  { server_name, inject_as, secret_ref, source, url }: HeaderBinding,
  isThere: boolean,
): JsonObject {
  return {
    server_name: redact(server_name).text,
    inject_as,
    secret_ref: redact(secret_ref).text,
    source,
    inject: 'header',
    url: redact(url.split('?', 1)[0] ?? '').text,
    success: isThere,
  };
}
