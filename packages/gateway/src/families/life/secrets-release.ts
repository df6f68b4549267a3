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
import type { EntryInput } from '@subluminal/ledger';
import type { PipelineCall } from '../../pipeline/call.js';
import type { ActionHandler } from '../../pipeline/handlers.js';
import { payloadOf } from '../../pipeline/payload.js';
import { refuse, refuseFor, type Refusal, success } from '../../pipeline/reply.js';
import { requestFields } from '../../pipeline/entries.js';
import type { Upstream, UpstreamStore } from '../../store/upstreams.js';
import { aboutHash } from '../../secrets/about.js';
import { grantedTo, type Granted } from '../../secrets/bindings.js';
import { readSecretFile } from '../../secrets/own-secret-file.js';
import type { ReleasePace } from '../../secrets/pace.js';
import { assertReplaceable } from '../../secrets/placeholder.js';
import { type Placed, type Placeholders, placedFacts } from '../../secrets/placeholders.js';
import type { RunSecrets } from '../../secrets/run-secrets.js';
import type { SecretStore } from '../../secrets/store.js';
import { toldMark } from '../../secrets/told.js';
import type { Trust } from '../../secrets/trust.js';

/** What secrets are released with. */
export interface ReleaseParts {
  readonly configPath: string;
  readonly upstreams: UpstreamStore;
  readonly store: SecretStore;
  readonly runSecrets: RunSecrets;
  readonly pace: ReleasePace;
  /** The key of the marks by which the values of servers are known again. */
  readonly toldKey: Uint8Array;
  readonly placeholders: Placeholders;
  /** Makes what a server of placeholders has to trust. */
  readonly trust: Trust;
}

type Read = SecretsReleased['secrets'][number] & {
  /** It stays here: what the server gets in its place. */
  readonly placed?: Placed;
};

/** What a shim reads itself: its own environment, and the keychain, which takes a process to ask. */
const READ_BY_SHIM: readonly CommandBinding['source'][] = ['env', 'keychain'];

/**
 * `secrets.release`: the secrets of a server that a shim has announced and is about to start, once, and only for the command line
 * that they are bound to. That they leave is recorded first; values stand in no entry.
 */
export function secretsRelease(parts: ReleaseParts): ActionHandler {
  const prepared = new WeakMap<PipelineCall, { readonly granted: Granted; readonly read: readonly Read[] }>();
  return {
    entries: (call) => {
      const payload = payloadOf(call, 'secrets.release');
      const { run } = call.caller;
      if (run === undefined) return refuse('not_permitted', 'only a run has servers');
      const wait = parts.pace.take(run);
      if (wait > 0) return refuse('rate_limited', `servers of this run ask too often; wait ${wait} ms`);
      const upstream = announced(parts, call, payload);
      if ('error' in upstream) return upstream;
      if (upstream.aboutHash !== aboutHash(payload.server_name, payload.argv_hash))
        return refuse('secret_refused', 'this is not the server that was announced');
      if (upstream.secrets !== null)
        return refuse('secret_refused', 'secrets were released for this server before');
      try {
        const granted = grantedTo(parts.configPath, payload);
        parts.trust.assertServing(granted.bindings);
        const { read, failed } = readAll(parts, granted, upstream);
        if (failed !== undefined) {
          const { code, message, help } = failed.error;
          const entries = [injection(call, payload, failed.binding, false)];
          return {
            status: 'error',
            error: { code, message, ...(help === undefined ? {} : { help }) },
            entries,
          };
        }
        if (!parts.runSecrets.add(run.id, hidden(read)))
          return refuse('overloaded', 'the servers of this run have too many secrets');
        prepared.set(call, { granted, read });
        const entries = granted.bindings
          .filter(({ source }) => !READ_BY_SHIM.includes(source))
          .map((binding) => injection(call, payload, binding, true));
        return entries.length === 0 ? 'own' : entries;
      } catch (error) {
        if (isSublError(error)) return refuseFor(error);
        throw error;
      }
    },
    execute: (call) => {
      const { token, server_name: serverName } = payloadOf(call, 'secrets.release');
      const shownName = redact(serverName).text;
      const release = prepared.get(call);
      if (release === undefined) throw new Error('secrets were released without an entry');
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
}

/** What the shim is told of one: of a secret that stays here the placeholder, which nobody has to hide. */
function toldOf({ value, placed, ...facts }: Read): JsonObject {
  if (placed !== undefined) return { ...facts, redact: false, value: placed.placeholder };
  return value === undefined ? facts : { ...facts, value };
}

/**
 * `secrets.injected`: the shim tells of the secrets that it reads itself. Their values are taken from it
 * once.
 */
export function secretsInjected(parts: ReleaseParts): ActionHandler {
  return {
    entries: (call) => {
      const payload = payloadOf(call, 'secrets.injected');
      const told = toldBy(parts, call, payload, true);
      if ('error' in told) return told;
      if (told.known.length === 0) return refuse('invalid_request', 'nothing was injected');
      return told.known.map(({ facts, value }) => injection(call, payload, facts, value !== undefined));
    },
    execute: () => success({}),
  };
}

/**
 * `secrets.held`: a shim tells a gateway that was started since of its server's secrets. They are the same,
 * or none of them is taken.
 */
export function secretsHeld(parts: ReleaseParts): ActionHandler {
  return {
    entries: (call) => {
      const payload = payloadOf(call, 'secrets.held');
      const told = toldBy(parts, call, payload, false);
      if ('error' in told) return told;
      // A connection that was lost changes nothing.
      if (!told.isNews) return 'own';
      const secrets = told.known.map(({ facts: { inject_as, secret_ref, source } }) => ({
        inject_as,
        secret_ref: redact(secret_ref).text,
        source,
      }));
      const data = { req: requestFields(call), secrets, shim_id: payload.shim_id };
      return [{ type: 'secrets_told', ts: call.now, runId: call.runId, data }];
    },
    execute: () => success({}),
  };
}

/** As `gateway.db` has it beside an upstream. */
interface Facts
  extends
    Pick<CommandBinding, 'server_name' | 'inject_as' | 'secret_ref' | 'source'>,
    Partial<Pick<CommandBinding, 'inject' | 'hosts' | 'redact'>> {
  /** Of the value that the server has; absent while nobody has told it. */
  readonly told?: string;
}

interface Told {
  readonly known: readonly { readonly facts: Facts; readonly value: string | undefined }[];
  /** The gateway did not know all of these values. */
  readonly isNews: boolean;
}

/**
 * The secrets that a shim says its server has. Their names must be ones that were released for this very
 * server. Their values must be ones that were released, or that were told when it started (`isStart`). The
 * holder of a run's key can say anything here, and would otherwise have other texts taken out of its record.
 */
function toldBy(
  parts: ReleaseParts,
  call: PipelineCall,
  payload: {
    readonly shim_id: string;
    readonly token: string;
    readonly values: readonly { readonly inject_as: string; readonly value?: string | undefined }[];
  },
  isStart: boolean,
): Told | Refusal {
  const { run } = call.caller;
  if (run === undefined) return refuse('not_permitted', 'only a run has servers');
  const upstream = announced(parts, call, payload);
  if ('error' in upstream) return upstream;
  const released = JSON.parse(upstream.secrets ?? '[]') as readonly Facts[];
  const marks = new Map(released.map(({ inject_as: name, told }) => [name, told]));
  const known: { facts: Facts; value: string | undefined }[] = [];
  for (const { inject_as: name, value } of payload.values) {
    const facts = released.find((one) => one.inject_as === name);
    if (facts === undefined) return refuse('secret_refused', 'no such secret was released for this server');
    known.push({ facts, value });
    if (facts.inject === 'egress') {
      if (value !== parts.placeholders.of(upstream, name))
        return refuse('secret_refused', 'this is not the placeholder that was released for this server');
      continue;
    }
    if (value === undefined) continue;
    const problem = secretProblem(value, { redact: facts.redact ?? false });
    if (problem !== undefined)
      return refuse('secret_refused', `a value for \`${name}\` is no secret: ${problem}`);
    const mark = toldMark(parts.toldKey, { ...upstream, injectAs: name }, value);
    const before = marks.get(name) ?? (isStart && READ_BY_SHIM.includes(facts.source) ? mark : undefined);
    if (before !== mark) return refuse('secret_refused', 'this is not what the server was started with');
    marks.set(name, mark);
  }
  parts.placeholders.keepOutOfRecord(upstream);
  const values = known.flatMap(({ facts, value }) =>
    value === undefined || facts.inject === 'egress' ? [] : [{ name: facts.inject_as, value }],
  );
  const isNews = parts.runSecrets.unknown(run.id, values).length > 0;
  if (!parts.runSecrets.add(run.id, values))
    return refuse('overloaded', 'the servers of this run have too many secrets');
  // At once: whoever tells something else at the same time is refused.
  const facts = released.map((one) => {
    const told = marks.get(one.inject_as);
    return told === undefined ? one : { ...one, told };
  });
  parts.upstreams.noteSecrets(upstream.token, canonicalize(facts));
  return { known, isNews };
}

function announced(
  { upstreams }: ReleaseParts,
  call: PipelineCall,
  { token, shim_id: shimId }: { readonly token: string; readonly shim_id: string },
): Upstream | Refusal {
  const upstream = upstreams.find(token);
  if (upstream !== undefined && upstream.runId === call.runId && upstream.shimId === shimId) return upstream;
  return refuse('not_found', 'there is no such upstream in this run');
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

function hidden(read: readonly Read[]): { name: string; value: string }[] {
  return read.flatMap(({ inject_as: name, value }) => (value === undefined ? [] : [{ name, value }]));
}

/** `secret_injection`: names and whether it was there. Interface Pack §4.1. */
function injection(
  call: PipelineCall,
  { shim_id }: { readonly shim_id: string },
  facts: Omit<Facts, 'redact' | 'told'>,
  isThere: boolean,
): EntryInput {
  const { server_name, inject_as, secret_ref, source, inject, hosts } = facts;
  const secret: JsonObject = {
    server_name: redact(server_name).text,
    inject_as,
    secret_ref: redact(secret_ref).text,
    source,
    ...(inject === 'egress' ? { inject, hosts: [...(hosts ?? [])] } : {}),
    success: isThere,
  };
  return {
    type: 'secret_injection',
    ts: call.now,
    runId: call.runId,
    data: { req: requestFields(call), shim_id, secret },
  };
}
