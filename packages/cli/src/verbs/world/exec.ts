import { type CommandEnd } from '@subluminal/worlds';
import { canonicalize, isSublError, SublError } from '@subluminal/core-types';
import type { Command } from 'commander';
import { ticketAround } from '../../gateway/outside-run.js';
import type { Call } from '../../program/call.js';
import { flag, type Values } from '../../program/flags.js';
import { report } from '../../program/report.js';
import { subVerb, type Does } from '../../program/verb.js';
import { RUN_FLAGS, WORLD_FLAGS } from '../../run/command/flags.js';
import { runCommand } from '../../run/command/run-command.js';
import { viewOfFlags } from '../../run/command/world-flags.js';
import { backendOf } from '../../world/backend/backend-of.js';
import { leastNetwork } from '../../world/least.js';

const FLAGS = {
  fresh: flag('a world of its own, which ends with the command (in CI and inside of a run always so)'),
  ...WORLD_FLAGS,
  ...RUN_FLAGS,
};

type Given = Call<Values<typeof FLAGS>>;

/** The exit code of a command that was not asked for, or whose world could not be made. */
const OURS = 125;

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
    async (call) => {
      try {
        return await run(call);
      } catch (error) {
        if (!isSublError(error)) throw error;
        report(error, call.output);
        return OURS;
      }
    },
  );
}

async function run(call: Given): Promise<number> {
  const view = viewOfFlags(call);
  const [program, ...args] = call.args;
  if (program === undefined) throw new SublError('usage', 'the command is missing');
  const backend = backendOf(call);
  const isOwn = backend.name === 'linux-local' && (await isFresh(call));
  const shared = isOwn ? undefined : await backend.exec(view, [program, ...args]);
  if (shared !== undefined) return told(call, shared);
  let last: CommandEnd | undefined;
  const { pass } = call.flags;
  const exit = await runCommand(call, { view, pass, isJudged: true }, ({ worldId, spanId }) => {
    last = { exit: 0, worldId, spanId };
  });
  return told(call, { exit, worldId: last?.worldId, spanId: last?.spanId });
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

/**
 * Tells whether the command would have our own terminal, as with `| tee log`: a program that it leaves behind
 * in a world that goes on could read what is typed there later.
 */
export function leavesTerminal(): boolean {
  const isWhole = process.stdin.isTTY && process.stdout.isTTY;
  return !isWhole && (process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY);
}

/** The last line of stderr, for programs. */
export function told(call: Call, { exit, spanId, worldId }: CommandEnd): number {
  if (call.output.json)
    call.output.note(canonicalize({ exit, span_id: spanId ?? null, world_id: worldId ?? null }));
  return exit;
}
