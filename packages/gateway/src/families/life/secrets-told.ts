import {
  canonicalize,
  type CommandBinding,
  type JsonObject,
  redact,
  secretProblem,
} from '@subluminal/core-types';
import type { EntryInput } from '@subluminal/ledger';
import type { Call } from '../../pipeline/call.js';
import { refuse, type Refusal } from '../../pipeline/reply.js';
import type { Placeholders } from '../../secrets/placeholders.js';
import type { RunSecrets } from '../../secrets/run-secrets.js';
import { toldMark } from '../../secrets/told.js';
import type { Upstream, UpstreamStore } from '../../store/upstreams.js';

export interface ToldParts {
  readonly upstreams: UpstreamStore;
  readonly runSecrets: RunSecrets;
  /** The key of the marks by which the values of servers are known again. */
  readonly toldKey: Uint8Array;
  readonly placeholders: Placeholders;
}

/** A shim reads these itself: its own environment, and the keychain, which takes a process to ask. */
export const READ_BY_SHIM: readonly CommandBinding['source'][] = ['env', 'keychain'];

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
export function toldBy(
  parts: ToldParts,
  call: Call,
  payload: {
    readonly shim_id: string;
    readonly token: string;
    readonly values: readonly { readonly inject_as: string; readonly value?: string | undefined }[];
  },
  isStart: boolean,
): Told | Refusal {
  const { run } = call;
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
    value === undefined || facts.inject === 'egress'
      ? []
      : [{ name: facts.inject_as, value, source: facts.source, secretRef: facts.secret_ref }],
  );
  const isNews = parts.runSecrets.unknown(run.id, values).length > 0;
  if (!parts.runSecrets.hold(run.id, values))
    return refuse('overloaded', 'the servers of this run have too many secrets');
  // At once: whoever tells something else at the same time is refused.
  const facts = released.map((one) => {
    const told = marks.get(one.inject_as);
    return told === undefined ? one : { ...one, told };
  });
  parts.upstreams.noteSecrets(upstream.token, canonicalize(facts));
  return { known, isNews };
}

/** The server that the shim has announced under that token. */
export function announced(
  { upstreams }: ToldParts,
  call: Call,
  { token, shim_id: shimId }: { readonly token: string; readonly shim_id: string },
): Upstream | Refusal {
  const upstream = upstreams.find(token);
  if (upstream !== undefined && upstream.runId === call.runId && upstream.shimId === shimId) return upstream;
  return refuse('not_found', 'there is no such upstream in this run');
}

/** `secret_injection`: names and whether it was there. */
export function injection(
  call: Call,
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
    data: { req: call.requestFields, shim_id, secret },
  };
}
