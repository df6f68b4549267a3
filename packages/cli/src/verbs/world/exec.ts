import { SublError } from '@subluminal/core-types';
import type { CommandEnd } from '@subluminal/worlds';
import type { Command } from 'commander';
import { ticketAround } from '../../gateway/outside-run.js';
import type { Call } from '../../program/call.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { RUN_FLAGS, WORLD_FLAGS } from '../../run/command/flags.js';
import { runCommand } from '../../run/command/run-command.js';
import { viewOfFlags } from '../../run/command/world-flags.js';
import { backendOf } from '../../world/backend/backend-of.js';
import { endOfCommand } from '../../world/command-end.js';
import { leastNetwork } from '../../world/least.js';
import { leavesTerminal } from '../../world/session/leaves-terminal.js';

const FLAGS = {
  fresh: flag('a world of its own, which ends with the command (in CI and inside of a run always so)'),
  ...WORLD_FLAGS,
  ...RUN_FLAGS,
};

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub world exec -- CMD…`: one command in the world of the folder, which is made if there is none and goes
 * on when the command has ended. Its exit code is the command's; 126: it was refused; 125: ours.
 */
export function defineExec(group: Command, does: Does): void {
  does(
    subVerb(group, 'exec', 'run a command that reaches nothing but what the gateway lets it')
      .usage('[options] -- <command> [arguments…]')
      .argument('<command...>', 'the command, with its arguments')
      .passThroughOptions(),
    FLAGS,
    (call) => endOfCommand(call, run),
  );
}

async function run(call: Given): Promise<CommandEnd> {
  const view = viewOfFlags(call);
  const [program, ...args] = call.args;
  if (program === undefined) throw new SublError('usage', 'the command is missing');
  const backend = backendOf(call);
  const isOwn = backend.name === 'linux-local' && (await isFresh(call));
  const shared = isOwn ? undefined : await backend.exec(view, [program, ...args]);
  if (shared !== undefined) return shared;
  let last: Pick<CommandEnd, 'worldId' | 'spanId'> | undefined;
  const { pass } = call.flags;
  const exit = await runCommand(
    call,
    { view, pass, layer: undefined, isJudged: true },
    ({ worldId, spanId }) => {
      last = { worldId, spanId };
    },
  );
  return { exit, worldId: last?.worldId, spanId: last?.spanId };
}

/** Tells whether the command is to have a world of its own, as in CI, where nobody comes back. */
async function isFresh(call: Given): Promise<boolean> {
  const { agent, client, env, events, fresh, meta, policy, strict } = call.flags;
  const isOwnRun = [agent, client, env, events, policy].some((one) => one !== undefined) || meta.length > 0;
  if (leavesTerminal() || fresh || isOwnRun || strict || call.session.environment.ci !== undefined)
    return true;
  // A world that may turn out weaker than a full one is made for each command.
  if (leastNetwork(call.home) !== 'full') return true;
  return (await ticketAround(call)) !== undefined;
}
