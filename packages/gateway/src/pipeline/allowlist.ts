import { isSublError, type AdapterAction, type PayloadOf, SublError } from '@subluminal/core-types';
import {
  type AddressVerdict,
  type Destination,
  hostInUrl,
  hostVerdict,
  mayDial,
  parseDestination,
  parseEndpoint,
} from '@subluminal/egress';
import type { ServerClaims } from '../families/connection/server-claims.js';
import type { HeaderSecrets } from '../secrets/header-secrets.js';
import type { Allowlist } from '../allowlist/allowlist.js';
import type { ServiceRegistry } from '../families/service/registry.js';
import type { ToolCalls } from '../families/tool/begin.js';
import { decideConnection, type ConnectionParts } from '../families/connection/decide.js';
import type { PipelineCall } from './call.js';
import { payloadOf } from './payload.js';
import { refuseFor } from './reply.js';
import { settle } from '../families/settle.js';
import type { Stage, StageResult } from './stage.js';

/** What the stage decides with. */
export interface AllowlistParts extends ConnectionParts {
  readonly allowlist: Allowlist;
  readonly services: ServiceRegistry;
  readonly toolCalls: ToolCalls;
  /** Which remote server has which address. */
  readonly claims: ServerClaims;
  /** Which remote server has which secrets. */
  readonly headers: Pick<HeaderSecrets, 'boundTo'>;
}

/**
 * Stage 3: a service action, and what is sent to an MCP server over HTTP, goes only where the operator allowed it, and its name is resolved here, once: the
 * addresses that are judged are those that will be dialled. For a tool call the policy is asked; its one decision
 * covers this stage and the next. Every other action has no destination: what its key permits is all there is to ask.
 */
export function allowlistStage(parts: AllowlistParts): Stage {
  return {
    name: 'allowlist',
    run(call) {
      const { action, definition } = call.read;
      if (definition.family === 'service' || action === 'http.reach') return decideDestination(parts, call);
      if (action === 'net.connect') return decideConnection(parts, call);
      if (action !== 'tool.call.begin') return 'pass';
      return parts.toolCalls.judge(call);
    },
  };
}

async function decideDestination(parts: AllowlistParts, call: PipelineCall): Promise<StageResult> {
  const { generation } = parts.allowlist;
  // What is decided again has the time that is left; a redirect is an action of its own.
  const timeoutMs = call.decided?.leftMs ?? parts.egress().timeout_ms;
  try {
    const wanted = destinationOf(parts, call);
    if (wanted === undefined) {
      call.decided = { destination: undefined, generation, leftMs: timeoutMs };
      return 'pass';
    }
    call.wanted = wanted;
    const accountName = accountNameOf(parts, call);
    if (call.read.action === 'http.reach') checkName(parts, payloadOf(call, 'http.reach'));
    // What is decided again has its entry already, which names where it goes.
    const before = call.pendingSeq === undefined ? undefined : call.decided?.destination;
    if (before !== undefined && (before.origin !== wanted.origin || call.accountName !== accountName))
      throw new SublError('not_allowed', `\`${wanted.origin}\` is not what was decided on`);
    call.accountName = accountName;
    const entry = parts.allowlist.find(wanted);
    if (entry === undefined) throw notAllowed(wanted, call);
    await settle(parts, call, wanted, { allowPrivate: entry.allow_private, generation, timeoutMs });
    return 'pass';
  } catch (error) {
    if (isSublError(error)) return refuseFor(advised(error, call));
    throw error;
  }
}

/** Whose secret it gets. */
function accountNameOf({ services }: AllowlistParts, call: PipelineCall): string | undefined {
  const { action, payload } = call.read;
  if (action === 'http.reach') return undefined;
  return services.adapterFor(action as AdapterAction).accountName?.(payload, call.redirectedFrom);
}

/** Where the action leads: an adapter knows it of a service action. */
function destinationOf({ services }: AllowlistParts, call: PipelineCall): Destination | undefined {
  const { action, payload } = call.read;
  if (action === 'http.reach') return parseDestination(payloadOf(call, 'http.reach').upstream);
  return services.adapterFor(action as AdapterAction).destination(payload);
}

/**
 * A server is reached at its own address, and its address under its own name. One with secrets is reached at the
 * address that they are bound to.
 */
function checkName(
  { claims, headers }: Pick<AllowlistParts, 'claims' | 'headers'>,
  { server_name: name, upstream, redirect }: PayloadOf<'http.reach'>,
): void {
  const endpoint = parseEndpoint(upstream);
  claims.check(name, endpoint);
  headers.boundTo(name, endpoint);
  if (redirect === undefined) return;
  const target = parseEndpoint(redirect);
  if (target.destination.origin !== endpoint.destination.origin) throw notAllowed(target.destination);
  claims.checkRedirect(name, target);
}

/** A refused address that an entry could let through: to the operator the refusal names the verb. */
function advised(error: SublError, { caller, wanted }: PipelineCall): SublError {
  const verdict = error.details?.['verdict'] as AddressVerdict | undefined;
  if (error.code !== 'address_refused' || verdict === undefined || !mayDial(verdict, true)) return error;
  if (caller.kind !== 'operator' || wanted === undefined) return error;
  const place = `${hostInUrl(wanted.host)}:${wanted.port}`;
  return new SublError(error.code, error.message, {
    help: `where that is meant: \`sub allow add ${place} --private\``,
    cause: error,
    ...(error.details === undefined ? {} : { details: error.details }),
  });
}

/** To the operator the refusal names the verb that answers it; to an agent it does not. */
function notAllowed({ origin, host, port }: Destination, call?: PipelineCall): SublError {
  const verdict = hostVerdict(host) ?? 'public';
  const help =
    call?.caller.kind === 'operator' && mayDial(verdict, true)
      ? { help: `\`sub allow add ${hostInUrl(host)}:${port}${verdict === 'public' ? '' : ' --private'}\`` }
      : {};
  return new SublError('not_allowed', `\`${origin}\` is not on the allowlist`, help);
}
