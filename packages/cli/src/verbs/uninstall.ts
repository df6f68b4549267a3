import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { assertHome } from '@subluminal/ipc';
import { withStartLock } from '@subluminal/shim';
import type { Command } from 'commander';
import { subjectOf } from '../audit/memory.js';
import { CLIENTS } from '../clients/all.js';
import { EXIT } from '../program/exit/codes.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { stopGateway } from '../gateway/stop.js';
import { changedLayers } from '../world/layer/waiting.js';
import { partingOf, removeHome, type Parting } from '../home/remove.js';
import { FILE_HANDS } from '../home/file-hands.js';
import { assertMovable, nextRecordFolder } from '../home/record-folder.js';
import { agrees, assertAskable, YES } from '../output/ask.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import { flag, type Values } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { handsOf, machineOf } from '../clients/command/operands.js';
import { HOOK_CLIENTS } from '../hooks/all.js';
import { hookedFiles, isTold, removeHooks } from '../hooks/remove.js';
import { showRemoved } from './hooks/uninstall.js';
import { isComplete, restoreClients } from './restore.js';
import { restoreJson, restoreLines } from '../clients/command/restore-lines.js';
import { attempt } from '../program/attempt.js';

/** The outcome for a home. */
interface Gone {
  readonly stopped: number | undefined;
  readonly parting: Parting;
  readonly folder: string | undefined;
}

const NO_HOME: Gone = {
  stopped: undefined,
  parting: { kept: [], removed: [], strange: [] },
  folder: undefined,
};

const FLAGS = {
  deleteLedger: flag('remove the record as well; nothing can show then what was done'),
  yes: YES,
};

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub uninstall`: what clients start is what they started before, and nothing of this home runs or is left
 * but its record.
 */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, uninstall);
}

async function uninstall(call: Given): Promise<number> {
  await assertOutsideRun(call);
  const hasHome = lstatSync(call.home.home, { throwIfNoEntry: false }) !== undefined;
  if (hasHome) assertIsHome(call);
  const { home } = call.home;
  const deleteLedger = call.flags.deleteLedger;
  assertAskable(call);
  const memory = hasHome ? memoryOf(call) : undefined;
  if (hasHome) {
    await assertDecided(call);
    const planned = partingOf(call.home, deleteLedger);
    assertMovable(call.home, planned.kept);
    if (!call.output.json) call.output.lines(planLines(call, planned, memory));
  }
  if (!(await agrees(call, `restore all clients, stop the gateway, remove \`${escapeText(home)}\`?`))) {
    call.output.note('nothing was changed');
    return EXIT.failed;
  }
  const hooks = await removeHooks(home, HOOK_CLIENTS, {
    where: machineOf(call),
    hands: handsOf(call),
    isDry: false,
  });
  for (const one of hooks) if (isTold(one)) showRemoved(call.output, one, false);
  const files = await restoreClients(call, CLIENTS, machineOf(call), false);
  if (!call.output.json)
    call.output.lines(restoreLines(call, files, { isDry: false, hooked: hookedFiles(hooks) }));
  if (!isComplete(files) || hooks.some(({ problem }) => problem !== undefined)) {
    if (call.output.json)
      call.output.value({ removed: false, files: files.map((one) => restoreJson(one, false)) });
    else call.output.note('the home stays, since there are servers that may still need it');
    return EXIT.failed;
  }
  const { stopped, parting, folder } = hasHome ? await stopAndRemove(call, deleteLedger) : NO_HOME;
  if (call.output.json) {
    const json = files.map((one) => restoreJson(one, false));
    const kept = folder === undefined ? [] : parting.kept.map((path) => join(folder, relative(home, path)));
    const { strange } = parting;
    call.output.value({
      removed: hasHome,
      home,
      stopped: stopped ?? null,
      record: folder ?? null,
      memory: memory ?? null,
      kept,
      strange,
      files: json,
    });
  } else if (hasHome) call.output.lines(doneLines(call, stopped, parting, folder));
  else call.output.line(`there was no home at \`${escapeText(home)}\``);
  return EXIT.done;
}

/** The changes of a layer are nowhere else. */
async function assertDecided({ home }: Call): Promise<void> {
  const layers = await changedLayers(home);
  if (layers.length === 0) return;
  const names = layers.map(({ place, project }) => `\`${place.id}\` (of \`${project}\`)`).join(', ');
  throw new SublError('failed', `changes that are in no project would be gone: layer ${names}`, {
    help: 'take them over with `sub world commit --layer ID`, or throw them away with `sub world discard --layer ID`',
  });
}

/** Nobody may start another gateway between the stop and the moves. */
function stopAndRemove(call: Call, deleteLedger: boolean): Promise<Gone> {
  const { home, session, output } = call;
  return withStartLock(home, async () => {
    const stopped = await stopGateway(home, session.now, (remark) => output.note(remark));
    // The home is read again here: it may have changed since the question.
    const parting = partingOf(home, deleteLedger);
    return { stopped, parting, folder: removeHome(home, parting, session.now()) };
  });
}

/**
 * A folder that was named by mistake is not emptied: others have folders named `imports`, `keys` and `logs`
 * too.
 */
function assertIsHome(call: Call): void {
  const { home } = call.home;
  if (lstatSync(home).isSymbolicLink())
    throw new SublError('home_unsafe', `\`${home}\` is a link to \`${realpathSync(home)}\``, {
      help: 'nothing was changed; name the home itself with `--home`',
    });
  assertHome(call.home);
  const names = readdirSync(home);
  const own = ['gateway.db', 'ledger.db', basename(call.home.asideMark)];
  const isHome = names.some((name) => own.includes(name));
  if (isHome || (names.includes('imports') && areImports(join(home, 'imports')))) return;
  throw new SublError('home_missing', `\`${home}\` is no home of \`sub\``, {
    help: 'nothing was changed; name the home with `--home`',
  });
}

/** The file outside of the home that remembers its ledger, where there is one. */
function memoryOf({ home, session }: Call): string | undefined {
  const { stateFolders } = session.environment;
  const headsLog = attempt(() => subjectOf(home, undefined, undefined, stateFolders))?.headsLog;
  return headsLog !== undefined && existsSync(headsLog) ? headsLog : undefined;
}

/** Whether a folder holds what `sub import` writes and nothing else. */
function areImports(path: string): boolean {
  if (!statSync(path).isDirectory()) return false;
  const names = readdirSync(path);
  const isOurs = (name: string): boolean =>
    name === 'backup' ||
    CLIENTS.some((client) =>
      ['', '-hooks'].some((what) =>
        [`${client.name}${what}.json`, `${client.name}${what}.lock`].includes(name),
      ),
    );
  return names.length > 0 && names.every((name) => isOurs(name.replace(/\.[0-9]{1,10}\.new$/, '')));
}

/** The plan that is shown before anybody is asked. */
function planLines(
  { home, session }: Call,
  { kept, removed, strange }: Parting,
  memory: string | undefined,
): readonly string[] {
  const names = (paths: readonly string[]): string =>
    paths.map((path) => escapeText(relative(home.home, path))).join(', ');
  const folder = (): string => escapeText(nextRecordFolder(home, session.now(), FILE_HANDS));
  return [
    ...(kept.length === 0 ? [] : [`moves to \`${folder()}\`: ${names(kept)}`]),
    ...(removed.length === 0
      ? []
      : [`removes, with the accounts, secrets and allowlist in it: ${names(removed)}`]),
    ...(strange.length === 0 ? [] : [`leaves, since they are not of \`sub\`: ${names(strange)}`]),
    ...(memory === undefined ? [] : [`leaves the memory of the ledger: ${escapeText(memory)}`]),
  ];
}

function doneLines(
  { home }: Call,
  stopped: number | undefined,
  { kept, strange }: Parting,
  folder: string | undefined,
): readonly string[] {
  const place = escapeText(home.home);
  return [
    stopped === undefined ? 'no gateway was running' : `the gateway has stopped (pid ${stopped})`,
    existsSync(home.home)
      ? `removed all of \`sub\` in \`${place}\`${strange.length === 0 ? ', which stays' : '; left there:'}`
      : `removed \`${place}\``,
    ...strange.map((path) => `  ${escapeText(path)} (not of \`sub\`)`),
    ...(folder === undefined ? [] : [`what was kept is in \`${escapeText(folder)}\``]),
    ...(folder === undefined || !kept.includes(home.ledgerDb)
      ? []
      : [`\`sub audit verify --home ${escapeText(folder)}\` still proves the record`]),
  ];
}
