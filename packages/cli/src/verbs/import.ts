import { existsSync, realpathSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import type { EntryScope } from '../clients/client.js';
import { EXIT } from '../program/exit/codes.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { createHome } from '../home/create.js';
import { agrees, assertAskable, YES } from '../output/ask.js';
import { counted } from '../output/counted.js';
import { noteNext } from '../next/note-next.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import { choice, flag, string, strings, type Values } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { hookLines, hooksJson, hooksOf } from '../hooks/with-import.js';
import type { Asked } from '../clients/command/import-client.js';
import { importClients } from '../clients/command/import-clients.js';
import {
  assertMakesWorlds,
  importWorlds,
  worldsJson,
  worldsLines,
} from '../clients/command/import-worlds.js';
import { importJson, importLines, type ClientOutcome } from '../clients/command/import-lines.js';
import { CLIENT_NAMES, machineOf, namedClients } from '../clients/command/operands.js';

const SCOPES = ['user', 'local', 'project', 'all'] as const;

/** The scopes that each word of `--scope` means. Without it, they are those of the user alone. */
const MEANING: Readonly<Record<(typeof SCOPES)[number], readonly EntryScope[]>> = {
  user: ['user', 'profile'],
  local: ['local'],
  project: ['project'],
  all: ['user', 'profile', 'local', 'project'],
};
const OWN: readonly EntryScope[] = ['user', 'profile', 'local'];

const FLAGS = {
  scope: choice(
    '<name>',
    'user, local, project or all (default: all but project, whose files are shared)',
    SCOPES,
  ),
  server: strings('<name>', 'only this server; may be repeated'),
  project: string('<folder>', 'the project whose files are meant (default: the working folder)'),
  withoutHooks: flag('leave the hooks of the client alone, so that its own tools are not asked for'),
  world: flag('have the servers that are programs live in a world each (Linux)'),
  dryRun: flag('show what would change, and change nothing'),
  yes: YES,
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub import CLIENT`: the servers that a client's configurations name are put behind the gateway. */
export function define(command: Command, does: Does): void {
  does(command.argument('[client]', CLIENT_NAMES), FLAGS, importVerb);
}

async function importVerb(call: Given): Promise<number> {
  await assertOutsideRun(call);
  if (call.flags.world) assertMakesWorlds();
  const clients = namedClients(call);
  const where = machineOf(call, call.flags.project);
  const scope = call.flags.scope;
  const asked: Asked = {
    scopes: new Set(scope === undefined ? OWN : MEANING[scope]),
    servers: call.flags.server,
    isDry: call.flags.dryRun,
  };
  const outcomesOf = (isDry: boolean): Promise<readonly ClientOutcome[]> =>
    importClients(call, { ...asked, isDry }, where, clients);
  if (!asked.isDry) {
    if (asked.scopes.has('project') && !(await mayChangeShared(call, await outcomesOf(true)))) {
      call.output.note('nothing was changed');
      return EXIT.failed;
    }
    createHome(call);
  }
  const outcomes = await outcomesOf(asked.isDry);
  const hooked =
    call.flags.withoutHooks || !isWhole(asked) ? [] : await hooksOf(call, clients, where, asked.isDry);
  const worlds = call.flags.world ? importWorlds(call, outcomes, asked.isDry) : undefined;
  if (call.output.json)
    for (const outcome of outcomes)
      call.output.value({
        ...importJson(outcome, asked.isDry),
        ...hooksJson(outcome, hooked),
        ...(worlds === undefined ? {} : { worlds: worldsJson(worlds, outcome) }),
      });
  else
    call.output.lines([
      ...importLines(call, outcomes, asked),
      ...hookLines(hooked, asked.isDry),
      ...(worlds === undefined ? [] : worldsLines(worlds, asked.isDry)),
    ]);
  assertFound(asked, outcomes);
  if (!asked.isDry && !existsSync(call.home.policy))
    noteNext(
      call.output,
      '`sub policy init` lists policies to begin with: without one every call is allowed',
    );
  const hasProblem = outcomes.some((one) => [one, ...one.files].some(({ problem }) => problem !== undefined));
  return hasProblem || (worlds?.failed ?? []).length > 0 ? EXIT.failed : EXIT.done;
}

/** Hooks are of the user: where only some servers are meant they stay as they are. */
function isWhole({ scopes, servers }: Asked): boolean {
  return scopes.has('user') && servers.length === 0;
}

/** Files of a project are other people's too: the operator is asked before one is changed. */
async function mayChangeShared(call: Given, outcomes: readonly ClientOutcome[]): Promise<boolean> {
  const shared = outcomes
    .flatMap(({ files }) => files)
    .filter(({ file, isChanged }) => file.scope === 'project' && isChanged);
  if (shared.length === 0) return true;
  assertAskable(call);
  for (const { file } of shared) call.output.note(`would change ${shownFile(file.path)}`);
  return agrees(call, `change ${counted(shared.length, 'file')} that others of the project share?`);
}

/** A repository can have its file lead anywhere: who is asked sees where. */
function shownFile(path: string): string {
  const real = realpathSync(path);
  const shown = `\`${escapeText(path)}\``;
  return real === path ? shown : `${shown}, which leads to \`${escapeText(real)}\``;
}

/** A name that no file has is a mistake, not nothing to do. */
function assertFound({ servers }: Asked, outcomes: readonly ClientOutcome[]): void {
  const found = new Set(
    outcomes.flatMap(({ files }) => files.flatMap(({ planned }) => planned.map(({ entry }) => entry.name))),
  );
  const missing = servers.filter((name) => !found.has(name));
  if (missing.length === 0) return;
  throw new SublError('not_found', `no server is named ${missing.map((name) => `\`${name}\``).join(', ')}`, {
    help: '`sub import CLIENT --dry-run` lists the servers that are there; files of a project need `--scope project`',
  });
}
