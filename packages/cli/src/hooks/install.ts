import { SublError } from '@subluminal/core-types';
import { gatewayDoor } from '../clients/command/http-routing.js';
import { handsOf } from '../clients/command/operands.js';
import { Journal } from '../clients/file/journal.js';
import type { Where } from '../clients/client.js';
import { clientStart } from '../home/launcher.js';
import type { Call } from '../program/call.js';
import { type ChangedFile, installInto } from './change-files.js';
import type { HookClient, HookFile, HookSetup } from './hook-client.js';

/** How hooks are installed. */
export interface Installing {
  readonly where: Where;
  readonly isDry: boolean;
  readonly blockedWhenAway: readonly string[];
  readonly passedWhenAway: readonly string[];
}

/** A file that was written, or would be, with what tells the hooks in its texts. */
export interface PlannedFile extends ChangedFile {
  readonly contents: HookFile['contents'];
}

/**
 * Writes the hooks of one client into its files, with a gateway that listens for them. Throws what starting
 * one throws, and `failed`: a file before the one that is named may have been written.
 */
export async function installHooks(
  call: Call,
  client: HookClient,
  installing: Installing,
): Promise<readonly PlannedFile[]> {
  const { isDry } = installing;
  const setup = await setupOf(call, client, installing);
  const journal = new Journal(call.home.home, `${client.name}-hooks`, process.pid);
  const changed: PlannedFile[] = [];
  // A later file depends on an earlier one as it is then, also where none is written.
  const would = new Map<string, string>();
  const where: Where = {
    ...installing.where,
    readText: (path) => would.get(path) ?? installing.where.readText(path),
  };
  for (const file of client.files(where)) {
    const one = await installInto({ file, journal, hands: handsOf(call), isDry }, setup);
    if (isDry) would.set(one.path, one.after);
    changed.push({ ...one, contents: file.contents });
  }
  return changed.filter(({ before, after }) => before !== after);
}

async function setupOf(
  call: Call,
  client: HookClient,
  { isDry, blockedWhenAway, passedWhenAway }: Installing,
): Promise<HookSetup> {
  const fixed = {
    ...clientStart(call.home, call.session, isDry),
    home: call.home.home,
    blockedWhenAway: client.canBlockWhenAway ? blockedWhenAway : [],
    passedWhenAway,
  };
  // Nothing is started for a look.
  if (isDry) return { ...fixed, port: 0, enrolToken: '…' };
  const door = await gatewayDoor(call).open();
  if ('cannot' in door)
    throw new SublError('gateway_unreachable', door.cannot, { help: 'run `sub doctor`, then try again' });
  return { ...fixed, ...door };
}
