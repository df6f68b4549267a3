import { isSublError, SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { machineOf } from '../../clients/command/operands.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { createHome } from '../../home/create.js';
import { HOOK_CLIENT_NAMES, namedHookClients } from '../../hooks/all.js';
import type { HookClient } from '../../hooks/hook-client.js';
import { installHooks, type PlannedFile } from '../../hooks/install.js';
import { planLines, tally } from '../../hooks/plan.js';
import { isPresent } from '../../hooks/present.js';
import { escapeText } from '../../output/escape.js';
import { shownDiffText } from '../../hooks/diff.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag, string, strings, type Values } from '../../program/flags.js';
import { nearest } from '../../program/nearest.js';
import { subVerb, type Does } from '../../program/verb.js';

const FLAGS = {
  blockWhenAway: strings(
    '<tool>',
    'a tool that is not called while no gateway answers, as Bash; may be repeated',
  ),
  passWhenAway: strings(
    '<tool>',
    'a tool that is called again while no gateway answers; takes `--block-when-away` back',
  ),
  project: string('<folder>', 'the project whose files are looked at (default: the working folder)'),
  dryRun: flag('say what would change, and change nothing'),
  diff: flag('with `--dry-run`, every line that would change'),
};

type Given = Call<Values<typeof FLAGS>>;

const TOOL = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** `sub hooks install CLIENT`. */
export function defineInstall(group: Command, does: Does): void {
  does(
    subVerb(group, 'install', 'ask the gateway for every call that a client makes itself').argument(
      '[client]',
      HOOK_CLIENT_NAMES,
    ),
    FLAGS,
    install,
  );
}

async function install(call: Given): Promise<number> {
  await assertOutsideRun(call);
  const { blockWhenAway, diff, dryRun, passWhenAway } = call.flags;
  if (diff && !dryRun)
    throw new SublError('usage', '`--diff` goes with `--dry-run`', { help: 'add `--dry-run`' });
  const odd = [...blockWhenAway, ...passWhenAway].find((name) => !TOOL.test(name));
  if (odd !== undefined)
    throw new SublError('usage', `\`${odd}\` is no name of a tool`, {
      help: 'name a tool as the client does: `--block-when-away Bash`',
    });
  const where = machineOf(call, call.flags.project);
  const clients = namedHookClients(call).filter(
    (client) => call.args[0] === client.name || isPresent(client, where),
  );
  if (clients.length === 0) {
    call.output.note('no client whose hooks are known was found; name one to install them all the same');
    return EXIT.failed;
  }
  assertKnown(call, clients, blockWhenAway);
  const both = blockWhenAway.find((name) => passWhenAway.includes(name));
  if (both !== undefined)
    throw new SublError('usage', `\`${both}\` is to be blocked and to pass`, { help: 'name it once' });
  if (!dryRun) createHome(call);
  let failed = false;
  for (const client of clients) {
    try {
      show(
        call,
        client,
        await installHooks(call, client, {
          where,
          isDry: dryRun,
          blockedWhenAway: blockWhenAway,
          passedWhenAway: passWhenAway,
        }),
      );
    } catch (error) {
      if (!isSublError(error)) throw error;
      failed = true;
      if (call.output.json)
        call.output.value({ client: client.name, installed: false, problem: error.message });
      else call.output.note(`${client.title}: ${escapeText(error.message)}`);
    }
  }
  if (dryRun && !diff && !call.output.json)
    call.output.note('nothing was changed; `--diff` shows every line, `--json` too');
  return failed ? EXIT.failed : EXIT.done;
}

/**
 * A tool that no client has would never be held back, and nobody would know. Throws `usage` for one that is
 * near to a known one; another may be new.
 */
function assertKnown({ output }: Given, clients: readonly HookClient[], tools: readonly string[]): void {
  const known = clients.flatMap((client) => client.tools);
  for (const name of tools) {
    if (known.includes(name) || name.startsWith('mcp__')) continue;
    const [near] = nearest(known, name);
    if (near !== undefined)
      throw new SublError('usage', `\`${name}\` is no tool of ${titles(clients)}`, {
        help: `did you mean \`${near}\`?`,
      });
    output.note(
      `\`${name}\` is not known as a tool of ${titles(clients)}: it is held back only if there is one of that name`,
    );
  }
}

function titles(clients: readonly HookClient[]): string {
  return clients.map(({ title }) => title).join(' or ');
}

function show(call: Given, client: HookClient, changed: readonly PlannedFile[]): void {
  const { diff, dryRun } = call.flags;
  if (call.output.json) {
    const paths = changed.map(({ path }) => path);
    const files = dryRun ? { files: changed.map(planJson) } : {};
    call.output.value({ client: client.name, installed: !dryRun, dry_run: dryRun, changed: paths, ...files });
    return;
  }
  for (const one of changed) {
    call.output.line(`${client.title}: ${dryRun ? 'would write' : 'wrote'} ${escapeText(one.path)}`);
    if (diff) call.output.lines(shownDiffText(one.before, one.after));
    else if (dryRun) call.output.lines(planLines(one, call.output.width));
  }
  if (changed.length === 0) call.output.line(`${client.title}: its hooks are installed already`);
  for (const { path, why } of client.obstacles(machineOf(call, call.flags.project)))
    call.output.note(`${client.title} will not ask: ${why} in ${escapeText(path)}`);
  const [blocked] = changed.flatMap(({ after, contents }) => contents(after).blockedWhenAway);
  if (blocked !== undefined && !dryRun)
    call.output.note(`\`sub hooks install ${client.name} --pass-when-away ${blocked}\` takes that back`);
  if (!dryRun && changed.length > 0)
    call.output.note(
      `start ${client.title} anew; then \`sub tail\` shows its own calls, and \`sub hooks status\` says that they come`,
    );
}

function planJson({ path, before, after, contents }: PlannedFile): object {
  const { ours, blockedWhenAway } = contents(after);
  return {
    path,
    adds: tally(ours),
    stays: tally(contents(before).others),
    blocked_when_away: blockedWhenAway,
    diff: shownDiffText(before, after).join('\n'),
  };
}
