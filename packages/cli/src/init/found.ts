import { existsSync } from 'node:fs';
import { SublError, type JsonObject, isJsonObject } from '@subluminal/core-types';
import { CLIENTS } from '../clients/all.js';
import type { Client, EntryScope, Where } from '../clients/client.js';
import { importClients } from '../clients/command/import-clients.js';
import type { FileOutcome } from '../clients/command/import-client.js';
import type { ClientOutcome } from '../clients/command/import-lines.js';
import { bypassesOf, type Bypass } from '../clients/coverage/bypasses.js';
import { askOperator } from '../gateway/door.js';
import { HOOK_CLIENTS } from '../hooks/all.js';
import { hookCoverage, type HookCoverage } from '../hooks/coverage.js';
import { installHooks, type PlannedFile } from '../hooks/install.js';
import { attempted } from '../program/attempt.js';
import type { Call } from '../program/call.js';
import { asSublError } from '../program/report.js';

/** The scopes of the user alone: a project's files are other people's too. */
export const OWN: ReadonlySet<EntryScope> = new Set(['user', 'profile', 'local']);
const ALL: ReadonlySet<EntryScope> = new Set([...OWN, 'project']);

/** The hooks of a client, as they are and as they would be. */
export interface FoundHooks {
  readonly coverage: HookCoverage;
  readonly planned: readonly PlannedFile[];
  readonly problem?: SublError;
}

/** One client on this machine. Nothing was changed to find it. */
export interface FoundClient {
  readonly client: Client;
  readonly outcome: ClientOutcome;
  /** Its own files, and those that it shares with other people of a project. */
  readonly files: readonly FileOutcome[];
  readonly shared: readonly FileOutcome[];
  /** Undefined if its hooks are not known. */
  readonly hooks: FoundHooks | undefined;
  /** Settings in force that take servers past the gateway. */
  readonly bypasses: readonly Bypass[];
}

/** The machine before anything is changed. */
export interface Found {
  readonly where: Where;
  readonly clients: readonly FoundClient[];
  readonly absent: readonly Client[];
  /** The gateway's own word; undefined if none runs. */
  readonly status: JsonObject | undefined;
  readonly hasPolicy: boolean;
}

/** Looks at the files of these clients. Changes nothing, and starts nothing. */
export async function findClients(
  call: Call,
  where: Where,
  clients: readonly Client[] = CLIENTS,
): Promise<Found> {
  const status = await gatewayStatus(call);
  const outcomes = await importClients(call, { scopes: ALL, servers: [], isDry: true }, where, clients);
  const found: FoundClient[] = [];
  const absent: Client[] = [];
  for (const outcome of outcomes) {
    const { client, files } = outcome;
    const hooks = await hooksOf(call, client, where, status);
    const isHere =
      files.length + outcome.unroutable.length > 0 || outcome.problem !== undefined || hooks !== undefined;
    if (!isHere) absent.push(client);
    else
      found.push({
        client,
        outcome,
        files: files.filter(({ file }) => file.scope !== 'project'),
        shared: files.filter(({ file, planned }) => file.scope === 'project' && planned.length > 0),
        hooks,
        bypasses: bypassesOf(client.name, where).filter(({ set }) => set),
      });
  }
  return { where, clients: found, absent, status, hasPolicy: existsSync(call.home.policy) };
}

/** The gateway's own word of itself; undefined if none answers. */
export async function gatewayStatus(call: Call): Promise<JsonObject | undefined> {
  const status = await attempted(askOperator(call.home, call.session.now, 'gateway.status'));
  return status !== undefined && isJsonObject(status) ? status : undefined;
}

async function hooksOf(
  call: Call,
  { name }: Client,
  where: Where,
  status: JsonObject | undefined,
): Promise<FoundHooks | undefined> {
  const client = HOOK_CLIENTS.find((one) => one.name === name);
  if (client === undefined) return undefined;
  const coverage = hookCoverage(client, where, status);
  if (coverage.state === 'absent') return undefined;
  try {
    const planned = await installHooks(call, client, {
      where,
      isDry: true,
      blockedWhenAway: [],
      passedWhenAway: [],
    });
    return { coverage, planned };
  } catch (error) {
    return { coverage, planned: [], problem: asSublError(error) };
  }
}
