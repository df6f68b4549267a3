import { isSublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import type { Client, ClientFile, Where } from '../clients/client.js';
import { Journal } from '../clients/file/journal.js';
import { previewRestore, restoreFile, type Restoring } from '../clients/file/restore-file.js';
import { shownDiff } from '../clients/text/show-diff.js';
import { EXIT } from '../program/exit/codes.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { noteNext } from '../next/note-next.js';
import type { Call } from '../program/call.js';
import { flag, string } from '../program/flags.js';
import { asSublError } from '../program/report.js';
import type { Does } from '../program/verb.js';
import { CLIENT_NAMES, handsOf, machineOf, namedClients } from '../clients/command/operands.js';
import { HOOK_CLIENTS } from '../hooks/all.js';
import { hookedFiles, isTold, removeHooks } from '../hooks/remove.js';
import { counted } from '../output/counted.js';
import { changedLayers } from '../world/layer/waiting.js';
import { showRemoved } from './hooks/uninstall.js';
import { restoreJson, restoreLines, type RestoredFile } from '../clients/command/restore-lines.js';

const FLAGS = {
  project: string('<folder>', 'a project whose files are looked at as well (default: the working folder)'),
  dryRun: flag('show what would change, and change nothing'),
};

/** `sub restore CLIENT`: takes back what `sub import` and `sub hooks install` did. */
export function define(command: Command, does: Does): void {
  does(command.argument('[client]', CLIENT_NAMES), FLAGS, async (call) => {
    await assertOutsideRun(call);
    const isDry = call.flags.dryRun;
    const clients = namedClients(call);
    const where = machineOf(call, call.flags.project);
    const hooked = HOOK_CLIENTS.filter(({ name }) => clients.some((client) => client.name === name));
    const hooks = await removeHooks(call.home.home, hooked, { where, hands: handsOf(call), isDry });
    const files = await restoreClients(call, clients, where, isDry);
    for (const one of hooks) if (isTold(one)) showRemoved(call.output, one, isDry);
    if (call.output.json) for (const one of files) call.output.value(restoreJson(one, isDry));
    else call.output.lines(restoreLines(call, files, { isDry, hooked: hookedFiles(hooks) }));
    await tellOfLayers(call);
    if (!isDry && clients.length > 1)
      noteNext(call.output, '`sub uninstall` removes the gateway and its home, too');
    return isComplete(files) && hooks.every(({ problem }) => problem === undefined) ? EXIT.done : EXIT.failed;
  });
}

/** Clients that live in no world any more leave the changes of those that did behind. */
async function tellOfLayers({ home, output }: Call): Promise<void> {
  const { length } = await changedLayers(home);
  if (length === 0) return;
  const what = `${counted(length, 'layer')} of worlds ${length === 1 ? 'holds' : 'hold'} changes`;
  output.note(`${what} that are in no project: \`sub world status\``);
}

/**
 * Takes back what was done to the files of clients: those that are recorded, and those that clients have now.
 */
export async function restoreClients(
  call: Call,
  clients: readonly Client[],
  where: Where,
  isDry: boolean,
): Promise<readonly RestoredFile[]> {
  const results: RestoredFile[] = [];
  for (const client of clients) {
    const journal = new Journal(call.home.home, client.name, process.pid);
    try {
      for (const file of filesOf(client, journal, where)) {
        results.push(await restoreOne(call, { client, file, journal, home: call.home.home }, isDry));
      }
    } catch (error) {
      // A journal, or a folder of one client, that cannot be read keeps none of the others back.
      const file: ClientFile = { path: journal.path, scope: 'user' };
      results.push({ client, file, diff: [], problem: asSublError(error) });
    }
  }
  return results;
}

async function restoreOne(
  call: Call,
  restoring: Omit<Restoring, 'hands'>,
  isDry: boolean,
): Promise<RestoredFile> {
  const { client, file } = restoring;
  try {
    const restored = isDry
      ? previewRestore(restoring)
      : await restoreFile({ ...restoring, hands: handsOf(call) });
    const diff = isDry ? shownDiff(client, file, restored.before, restored.after) : [];
    return { client, file, restored, diff };
  } catch (error) {
    if (!isSublError(error)) throw error;
    return { client, file, diff: [], problem: error };
  }
}

/** Whether nothing of ours is left in any file. */
export function isComplete(files: readonly RestoredFile[]): boolean {
  return files.every(
    ({ problem, restored }) =>
      problem === undefined && restored?.entries.every(({ became }) => became !== 'left') === true,
  );
}

/** Recorded files of which the client knows nothing any more (another project's) come first. */
function filesOf(client: Client, journal: Journal, where: Where): readonly ClientFile[] {
  const known = client.files(where);
  const paths = new Set(known.map(({ path }) => path));
  const recorded = journal.files().filter(({ path }) => !paths.has(path));
  return [...recorded, ...known];
}
