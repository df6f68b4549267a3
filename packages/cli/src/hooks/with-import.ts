import { isSublError, type SublError } from '@subluminal/core-types';
import type { ClientOutcome } from '../clients/command/import-lines.js';
import type { Client, Where } from '../clients/client.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import { HOOK_CLIENTS } from './all.js';
import type { ChangedFile } from './change-files.js';
import type { HookClient } from './hook-client.js';
import { installHooks } from './install.js';
import { isPresent } from './present.js';

/** The hooks of one client, as an import left them. */
export interface Hooked {
  readonly client: HookClient;
  readonly changed: readonly ChangedFile[];
  /** Why they were not installed. */
  readonly problem: SublError | undefined;
}

/** Installs the hooks of those clients that have any and are on this machine. */
export async function hooksOf(
  call: Call,
  clients: readonly Pick<Client, 'name'>[],
  where: Where,
  isDry: boolean,
): Promise<readonly Hooked[]> {
  const hooked: Hooked[] = [];
  for (const client of HOOK_CLIENTS) {
    if (!clients.some(({ name }) => name === client.name) || !isPresent(client, where)) continue;
    try {
      const changed = await installHooks(call, client, {
        where,
        isDry,
        blockedWhenAway: [],
        passedWhenAway: [],
      });
      hooked.push({ client, changed, problem: undefined });
    } catch (error) {
      if (!isSublError(error)) throw error;
      hooked.push({ client, changed: [], problem: error });
    }
  }
  return hooked;
}

/** The same for people. */
export function hookLines(hooked: readonly Hooked[], isDry: boolean): readonly string[] {
  return hooked.flatMap(({ client, changed, problem }) => {
    if (problem !== undefined)
      return [`${client.title}: its own tools are not asked for: ${escapeText(problem.message)}`];
    return changed.map(
      ({ path }) =>
        `${client.title}: its own tools ${isDry ? 'would be' : 'are'} asked for by hooks in ${escapeText(path)}`,
    );
  });
}

/** The same for programs, of the client that an outcome is about. */
export function hooksJson({ client }: ClientOutcome, hooked: readonly Hooked[]): object {
  const one = hooked.find(({ client: { name } }) => name === client.name);
  if (one === undefined) return {};
  const problem = one.problem === undefined ? {} : { problem: one.problem.message };
  return { hooks: { changed: one.changed.map(({ path }) => path), ...problem } };
}
