import {
  canonicalize,
  type CommandBinding,
  isSublError,
  type JsonObject,
  redact,
  secretProblem,
  type SecretsReleased,
  SublError,
} from '@subluminal/core-types';
import { refuse, refuseFor, success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import { aboutHash } from '../../secrets/about.js';
import { grantedTo, type Granted } from '../../secrets/bindings.js';
import { readSecretFile } from '../../secrets/own-secret-file.js';
import type { ReleasePace } from '../../secrets/pace.js';
import { assertReplaceable } from '../../secrets/placeholder.js';
import { type Placed, placedFacts } from '../../secrets/placeholders.js';
import type { HeldValue } from '../../secrets/run-secrets.js';
import type { ConfigFile } from '../../config/form.js';
import type { SecretStore } from '../../secrets/store.js';
import { toldMark } from '../../secrets/told.js';
import type { Trust } from '../../secrets/trust.js';
import type { Upstream } from '../../store/upstreams.js';
import { BEGINS, life } from './life.js';
import { announced, injection, READ_BY_SHIM, type ToldParts } from './secrets-told.js';

export interface ReleaseParts extends ToldParts {
  readonly config: ConfigFile;
  readonly store: SecretStore;
  readonly pace: ReleasePace;
  /** Makes what a server of placeholders has to trust. */
  readonly trust: Trust;
}

type Read = SecretsReleased['secrets'][number] & {
  /** It stays here: what the server gets in its place. */
  readonly placed?: Placed;
};

/**
 * `secrets.release`: the secrets of a server that a shim has announced and is about to start, once, and only
 * for the command line that they are bound to. That they leave is recorded first; values stand in no entry.
 */
export function secretsRelease(parts: ReleaseParts): ActionOf<'secrets.release'> {
  return life(BEGINS, (call, payload) => {
    let release: { readonly granted: Granted; readonly read: readonly Read[] } | undefined;
    return {
      record: () => {
        const { run } = call;
        const wait = parts.pace.take(run);
        if (wait > 0) return refuse('rate_limited', `servers of this run ask too often; wait ${wait} ms`);
        const upstream = announced(parts, call, payload);
        if ('error' in upstream) return upstream;
        if (upstream.aboutHash !== aboutHash(payload.server_name, payload.argv_hash))
          return refuse('secret_refused', 'this is not the server that was announced');
        if (upstream.secrets !== null)
          return refuse('secret_refused', 'secrets were released for this server before');
        try {
          const granted = grantedTo(parts.config, payload);
          // Every program of the world could ask for it in the server's name.
          if (call.caller.world !== undefined && granted.bindings.length > 0)
            return refuse(
              'secret_refused',
              `no secret goes into the world of an agent: \`${redact(payload.server_name).text}\` has some`,
              {
                help: 'give it to a server outside of the world, or as a placeholder of a remote server',
              },
            );
          parts.trust.assertServing(granted.bindings);
          const { read, failed } = readAll(parts, granted, upstream);
          if (failed !== undefined) {
            const entries = [injection(call, payload, failed.binding, false)];
            return { ...refuseFor(failed.error), entries };
          }
          if (!parts.runSecrets.hold(run.id, heldOf(read)))
            return refuse('overloaded', 'the servers of this run have too many secrets');
          release = { granted, read };
          const entries = granted.bindings
            .filter(({ source }) => !READ_BY_SHIM.includes(source))
            .map((binding) => injection(call, payload, binding, true));
          return entries.length === 0 ? 'own' : entries;
        } catch (error) {
          if (isSublError(error)) return refuseFor(error);
          throw error;
        }
      },
      execute: () => {
        if (release === undefined) throw new Error('secrets were released without an entry');
        const { token, server_name: serverName } = payload;
        const shownName = redact(serverName).text;
        const { granted, read } = release;
        const facts = read.map(({ inject_as, secret_ref, source, redact: redacts, value, placed }) => ({
          inject_as,
          secret_ref,
          source,
          redact: redacts,
          server_name: shownName,
          ...(placed === undefined
            ? toldFacts(parts, call.runId, token, inject_as, value)
            : placedFacts(placed)),
        }));
        parts.upstreams.noteSecrets(token, canonicalize(facts));
        for (const { source, secret_ref: name } of read) if (source === 'store') parts.store.used(name);
        const trust = parts.trust.filesFor(granted.bindings);
        return success({
          secrets: read.map(toldOf),
          ...(granted.program === undefined ? {} : { program: granted.program, pass: [...granted.pass] }),
          ...(trust === undefined ? {} : { trust }),
        });
      },
    };
  });
}

/**
 * The facts of one secret that the shim gets: of a secret that stays here the placeholder, which nobody has
 * to hide.
 */
function toldOf({ value, placed, ...facts }: Read): JsonObject {
  if (placed !== undefined) return { ...facts, redact: false, value: placed.placeholder };
  return value === undefined ? facts : { ...facts, value };
}

/** All values that the gateway reads, or the first that cannot be had. */
function readAll(
  parts: ReleaseParts,
  { bindings }: Granted,
  upstream: Upstream,
): {
  readonly read: readonly Read[];
  readonly failed?: { readonly binding: CommandBinding; readonly error: SublError };
} {
  const read: Read[] = [];
  for (const binding of bindings) {
    const { inject_as, secret_ref, source, redact: redacts } = binding;
    const facts = { inject_as, secret_ref, source, redact: redacts };
    if (READ_BY_SHIM.includes(source)) {
      read.push(facts);
      continue;
    }
    try {
      const value = source === 'store' ? parts.store.read(secret_ref) : readSecretFile(secret_ref);
      const problem = secretProblem(value, { redact: redacts });
      if (problem !== undefined)
        throw new SublError('secret_missing', `the secret for \`${inject_as}\` cannot be used: ${problem}`, {
          help: 'give it another value, or this one in another way',
        });
      if (binding.inject === 'env') read.push({ ...facts, value });
      else {
        assertReplaceable(value, inject_as);
        read.push({ ...facts, value, placed: parts.placeholders.place(upstream, binding, value) });
      }
    } catch (error) {
      if (!isSublError(error)) throw error;
      return { read: [], failed: { binding, error } };
    }
  }
  return { read };
}

/** The facts that are kept of a released value; none of a value that the shim reads. */
function toldFacts(
  { toldKey }: ReleaseParts,
  runId: string | null,
  token: string,
  injectAs: string,
  value: string | undefined,
): { told?: string } {
  return value === undefined
    ? {}
    : { told: toldMark(toldKey, { runId: runId ?? '', token, injectAs }, value) };
}

function heldOf(read: readonly Read[]): HeldValue[] {
  return read.flatMap(({ inject_as: name, value, source, secret_ref: secretRef }) =>
    value === undefined ? [] : [{ name, value, source, secretRef }],
  );
}
