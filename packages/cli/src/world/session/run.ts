import { parseJson, SublError, textAt } from '@subluminal/core-types';
import {
  type CommandEnd,
  guardedFiles,
  madeRemark,
  madeSince,
  worldEnvironment,
  type WorldView,
} from '@subluminal/worlds';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { report } from '../../program/report.js';
import type { WorldFlags } from '../../run/command/flags.js';
import { bringProgram } from './bring.js';
import { NOT_REUSED } from './not-reused.js';
import { exitOfStatus } from './exit-of-status.js';

/** The exit code of a command that the gateway refused. */
const REFUSED = 126;

/**
 * Runs a command in the world of the folder, as `bringProgram` does, and tells why it was refused. Undefined:
 * that world is for another command alone.
 */
export async function runInSession(
  call: Call<WorldFlags>,
  view: WorldView,
  command: readonly [string, ...string[]],
): Promise<CommandEnd | undefined> {
  const env = worldEnvironment(call.session.environment.all, call.flags.pass);
  const guarded = guardedFiles(view.folder, view.write);
  const ended = await bringProgram(call, view, { command, env });
  const made = madeSince(guarded, view.folder);
  if (made.length > 0) call.output.note(`sub: ${escapeText(madeRemark(made))}`);
  if (ended.kind === 'refused' && ended.told === NOT_REUSED) return undefined;
  if (ended.kind === 'refused') {
    report(new SublError('policy_blocked', ended.told), call.output);
    return { exit: REFUSED, worldId: undefined, spanId: undefined };
  }
  if (ended.kind === 'broken_off') throw new SublError('failed', 'the world ended before the command did');
  const told = parseJson(ended.told);
  return {
    exit: exitOfStatus(ended.status),
    worldId: textAt(told, 'world_id'),
    spanId: textAt(told, 'span_id'),
  };
}
