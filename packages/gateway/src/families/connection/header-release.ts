import {
  canonicalize,
  type HeaderBinding,
  isSublError,
  type JsonObject,
  type PayloadOf,
  redact,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import { parseEndpoint } from '@subluminal/egress';
import type { PipelineCall } from '../../pipeline/call.js';
import { refuseFor, type Refusal } from '../../pipeline/reply.js';
import { requestFields } from '../../pipeline/entries.js';
import type { HeaderSecrets } from '../../secrets/header-secrets.js';
import type { SecretStore } from '../../secrets/store.js';

export interface HeaderReleaseParts {
  readonly headers: Pick<HeaderSecrets, 'boundTo' | 'liveOf'>;
  readonly store: Pick<SecretStore, 'used'>;
}

/** The injections of a run that are recorded already, as canonical texts. They go with the run. */
type Noted = WeakMap<object, Set<string>>;

/**
 * The record of secrets in headers. A run, a server and a binding of it have one entry, before the first
 * request that holds the secret.
 */
export class HeaderRelease {
  readonly #parts: HeaderReleaseParts;
  readonly #noted: Noted = new WeakMap();
  readonly #pending = new WeakMap<
    PipelineCall,
    readonly { readonly binding: HeaderBinding; readonly text: string }[]
  >();

  constructor(parts: HeaderReleaseParts) {
    this.#parts = parts;
  }

  /** `secret_injection` of each that the run's requests hold from here on, or why one of them cannot be had. */
  entries(
    call: PipelineCall,
    { shim_id: shimId, server_name: name, upstream }: PayloadOf<'http.reach'>,
  ): readonly EntryInput[] | Refusal {
    const { headers } = this.#parts;
    const { run } = call.caller;
    if (run === undefined) throw new Error('a server is reached for no run');
    const entry = (secret: JsonObject): EntryInput => ({
      type: 'secret_injection',
      ts: call.now,
      runId: call.runId,
      data: { req: requestFields(call), shim_id: shimId, secret },
    });
    const fresh: { binding: HeaderBinding; text: string }[] = [];
    const entries: EntryInput[] = [];
    try {
      for (const binding of headers.boundTo(name, parseEndpoint(upstream))) {
        try {
          headers.liveOf(binding);
        } catch (error) {
          if (!isSublError(error)) throw error;
          return { ...refuseFor(error), entries: [entry(factsOf(binding, false))] };
        }
        const facts = factsOf(binding, true);
        const text = canonicalize(facts);
        if (this.#noted.get(run)?.has(text) === true) continue;
        fresh.push({ binding, text });
        entries.push(entry(facts));
      }
    } catch (error) {
      if (isSublError(error)) return refuseFor(error);
      throw error;
    }
    this.#pending.set(call, fresh);
    return entries;
  }

  /** They are in the record. */
  recorded(call: PipelineCall): void {
    const { run } = call.caller;
    if (run === undefined) return;
    const noted = this.#noted.get(run) ?? new Set();
    this.#noted.set(run, noted);
    for (const { binding, text } of this.#pending.get(call) ?? []) {
      noted.add(text);
      if (binding.source === 'store') this.#parts.store.used(binding.secret_ref);
    }
    this.#pending.delete(call);
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
