import { isSublError, type SublError } from '@subluminal/core-types';
import type { Hands } from '../clients/file/change.js';
import { Journal } from '../clients/file/journal.js';
import type { Where } from '../clients/client.js';
import { type ChangedFile, removeFrom } from './change-files.js';
import type { HookClient } from './hook-client.js';

/** The outcome of taking back the hooks of one client. */
export interface RemovedHooks {
  readonly client: HookClient;
  readonly files: readonly ChangedFile[];
  readonly problem: SublError | undefined;
}

/** Whether there is anything to say of it. */
export function isTold({ files, problem }: RemovedHooks): boolean {
  return problem !== undefined || files.some(({ how }) => how !== 'none');
}

/** The files out of which hooks were taken, or would be; undefined where there is nothing to say. */
export function hookedFiles(removed: readonly RemovedHooks[]): readonly string[] | undefined {
  if (!removed.some(isTold)) return undefined;
  return removed.flatMap(({ files }) => files.filter(({ how }) => how !== 'none').map(({ path }) => path));
}

/** Takes the hooks of clients back, the last file first. One that cannot be changed holds up no other. */
export async function removeHooks(
  home: string,
  clients: readonly HookClient[],
  { where, hands, isDry }: { readonly where: Where; readonly hands: Hands; readonly isDry: boolean },
): Promise<readonly RemovedHooks[]> {
  const removed: RemovedHooks[] = [];
  for (const client of clients) {
    const files: ChangedFile[] = [];
    let problem: SublError | undefined;
    const journal = new Journal(home, `${client.name}-hooks`, process.pid);
    for (const file of client.files(where).toReversed()) {
      try {
        files.push(await removeFrom({ file, journal, hands, isDry }));
      } catch (error) {
        if (!isSublError(error)) throw error;
        problem ??= error;
      }
    }
    removed.push({ client, files, problem });
  }
  return removed;
}
