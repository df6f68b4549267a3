import { existsSync } from 'node:fs';
import { isJsonObject, type JsonObject, numberAt, valueAt } from '@subluminal/core-types';
import { defaultHome, type HomePaths } from '@subluminal/ipc';
import { CLIENTS } from '../clients/all.js';
import { bypassesOf, type Bypass } from '../clients/coverage/bypasses.js';
import type { Where } from '../clients/client.js';
import { coverageOf, NOT_IMPORTED, type ClientCoverage, type Covered } from '../clients/coverage/coverage.js';
import { Journal } from '../clients/file/journal.js';
import { HOOK_CLIENTS } from '../hooks/all.js';
import { hookCoverage } from '../hooks/coverage.js';
import type { HookClient } from '../hooks/hook-client.js';
import { askOperator } from '../gateway/door.js';
import { counted } from '../output/counted.js';
import { failedWith, found, ok, type Check } from './check.js';
import { tokenFileChecks } from './token-files.js';
import { attempted } from '../program/attempt.js';

/** The servers that the clients of this machine start, and the settings that would take them past us. */
export interface ClientsReport {
  readonly checks: readonly Check[];
  readonly coverage: readonly Covered[];
  /** Names of variables and secrets that the checks may say, and a bundle may not. */
  readonly tokenNames: readonly string[];
  readonly bypasses: readonly Bypass[];
}

/** Looks at every client that is found on this machine. Changes nothing. */
export async function reportClients(
  home: HomePaths,
  where: Where,
  now: () => number,
): Promise<ClientsReport> {
  const httpPort = await portOf(home, now);
  const checks: Check[] = [];
  const covered: ClientCoverage[] = [];
  for (const client of CLIENTS) {
    try {
      const one = coverageOf(client, {
        where,
        home: home.home,
        defaultHome: defaultHome(),
        exists: existsSync,
        // Nothing is locked or written here, so that no process stands for it.
        recorded: (name) => new Journal(home.home, name, 0).files(),
        httpPort,
      });
      if (one === undefined) continue;
      covered.push(one);
      checks.push(checkOf(one), ...one.tokens.map((said) => tokenCheck(client.name, said)));
    } catch (error) {
      checks.push({ ...failedWith(client.name, error, 'see that your files can be read'), level: 'warn' });
    }
  }
  const status = await gatewayStatusOf(home, now);
  for (const client of HOOK_CLIENTS) checks.push(...hookChecks(client, where, status));
  checks.push(...tokenFileChecks(where));
  const bypasses = covered.flatMap(({ client }) => bypassesOf(client.name, where));
  return {
    checks: [...checks, ...bypasses.filter(({ set }) => set).map((one) => settingCheck(one))],
    coverage: covered.flatMap(({ servers }) => servers),
    tokenNames: covered.flatMap(({ tokenNames }) => tokenNames),
    bypasses,
  };
}

function checkOf({ client: { name, title }, servers, problems }: ClientCoverage): Check {
  const [problem] = problems;
  const broken = servers.find((server) => server.broken === true);
  if (broken !== undefined) {
    const help = `run \`sub import ${name}\` again; where it changes nothing, \`sub restore ${name}\` first`;
    return found(name, 'fail', `\`${broken.server}\` of ${title}: ${broken.reason ?? 'broken'}`, help);
  }
  if (problem !== undefined) return found(name, 'warn', problem, 'mend it there: it is not touched');
  const open = servers.filter((server) => !server.through);
  const message = `${title}: ${servers.length - open.length} of ${counted(servers.length, 'server')} routed`;
  if (open.length === 0) return ok(name, message);
  const isNew = open.some(({ reason }) => reason === NOT_IMPORTED);
  const help = isNew ? `run \`sub import ${name} --dry-run\` to see what would` : 'the list below says why';
  return found(name, 'warn', message, help);
}

/** Whether a client asks for what it does with its own tools; nothing of one that is not here. */
function hookChecks(client: HookClient, where: Where, status: JsonObject | undefined): readonly Check[] {
  const name = `${client.name} hooks`;
  try {
    const { state, problem, events } = hookCoverage(client, where, status);
    if (state === 'absent') return [];
    const help = `run \`sub hooks install ${client.name}\``;
    if (problem !== undefined) return [found(name, 'warn', problem, `mend it there, or ${help}`)];
    if (state === 'none')
      return [found(name, 'warn', `${client.title}: its own tools are not asked for`, help)];
    const seen = events === undefined || events === 0 ? '' : `, ${counted(events, 'event')} since the start`;
    return [ok(name, `${client.title}: its own tools are asked for${seen}`)];
  } catch (error) {
    return [{ ...failedWith(name, error, 'see that your files can be read'), level: 'warn' }];
  }
}

async function gatewayStatusOf(home: HomePaths, now: () => number): Promise<JsonObject | undefined> {
  const status = await attempted(askOperator(home, now, 'gateway.status'));
  return status !== undefined && isJsonObject(status) ? status : undefined;
}

/** A server whose secret stands in a client's file. */
function tokenCheck(client: string, said: string): Check {
  const at = said.indexOf(': ');
  return found(client, 'warn', said.slice(0, at), said.slice(at + 2));
}

/** A setting that already leaves servers out. */
function settingCheck({ client, way, effect }: Bypass): Check {
  return found(client, 'warn', `\`${way}\`: ${effect}`, 'ask who administers this machine');
}

/**
 * The port of the gateway's HTTP side, null where it does not listen; undefined where no gateway can be
 * asked.
 */
async function portOf(home: HomePaths, now: () => number): Promise<number | null | undefined> {
  const status = await attempted(askOperator(home, now, 'http.status'));
  if (status === undefined) return undefined;
  return valueAt(status, 'listening') === true ? numberAt(status, 'port') : null;
}
