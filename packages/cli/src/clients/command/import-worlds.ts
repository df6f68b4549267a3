import { isSublError, SublError } from '@subluminal/core-types';
import { editConfig } from '../../config/file.js';
import { counted } from '../../output/counted.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { checkMachine } from '../../world/check-machine.js';
import type { ClientOutcome } from './import-lines.js';

/** Servers that live in a world from their next start on, and those of which that could not be written. */
export interface ImportedWorlds {
  readonly servers: readonly string[];
  readonly failed: readonly { readonly server: string; readonly problem: string }[];
}

/** Throws `not_available` if this machine makes no worlds: a server that has to live in one never starts. */
export function assertMakesWorlds(): void {
  const missing = checkMachine().find(({ level }) => level === 'fail');
  if (missing === undefined) return;
  throw new SublError('not_available', `this machine makes no worlds: ${missing.message}`, {
    help: '`sub world doctor` says what is missing',
  });
}

/** Writes into config.toml that each routed server over stdio lives in a world, unless `isDry`. */
export function importWorlds(call: Call, outcomes: readonly ClientOutcome[], isDry: boolean): ImportedWorlds {
  const names = new Set(outcomes.flatMap(programsOf));
  const servers: string[] = [];
  const failed: { server: string; problem: string }[] = [];
  for (const server of [...names].toSorted()) {
    try {
      if (!isDry) editConfig(call.home, ['servers', server, 'world'], 'true');
      servers.push(server);
    } catch (error) {
      if (!isSublError(error)) throw error;
      failed.push({ server, problem: error.message });
    }
  }
  return { servers, failed };
}

/** The servers of a client that are programs, and routed. */
function programsOf({ files }: ClientOutcome): readonly string[] {
  return files.flatMap(({ planned }) =>
    planned
      .filter(({ entry, becomes }) => becomes !== 'left' && entry.kind !== 'http' && entry.url === undefined)
      .map(({ entry }) => entry.name),
  );
}

/** Those of one client for programs. */
export function worldsJson({ servers }: ImportedWorlds, outcome: ClientOutcome): readonly string[] {
  const own = new Set(programsOf(outcome));
  return servers.filter((server) => own.has(server));
}

/** The same for people. */
export function worldsLines({ servers, failed }: ImportedWorlds, isDry: boolean): readonly string[] {
  const lives = isDry ? 'would live in a world' : 'live in a world each, from their next start on';
  return [
    ...(servers.length === 0
      ? []
      : [`${counted(servers.length, 'server')} ${lives}: ${servers.map(escapeText).join(', ')}`]),
    ...failed.map(
      ({ server, problem }) => `\`${escapeText(server)}\` lives in no world: ${escapeText(problem)}`,
    ),
    ...(servers.length === 0 || isDry
      ? []
      : ['`sub world profile SERVER` has one reach what it reached, and nothing else']),
  ];
}
