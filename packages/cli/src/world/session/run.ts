import { constants } from 'node:os';
import { parseJson, SublError, textAt } from '@subluminal/core-types';
import {
  type CommandEnd,
  guardedIn,
  madeRemark,
  madeSince,
  worldEnvironment,
  type WorldView,
} from '@subluminal/worlds';
import { isUntouched, layerPlace, readLayer, tellOf } from '@subluminal/layers';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { report } from '../../program/report.js';
import type { WorldFlags } from '../../run/command/flags.js';
import { layerRemark } from '../layer/remark.js';
import { bringProgram } from './bring.js';
import { sessionKey } from './place.js';
import { ISOLATED, NOT_REUSED } from './not-reused.js';
import { exitOfStatus } from './exit-of-status.js';

/** The exit code of a command that the gateway refused. */
const REFUSED = 126;

/**
 * Runs a command in the world of the folder, as `bringProgram` does, and tells why it was refused. Undefined:
 * that world is for another command alone, or the policy isolates this one.
 */
export async function runInSession(
  call: Call<WorldFlags>,
  view: WorldView,
  command: readonly [string, ...string[]],
): Promise<CommandEnd | undefined> {
  const env = worldEnvironment(call.session.environment.all, call.flags.pass);
  const reach = { folder: view.folder, isLayered: false, written: view.write };
  const guarded = view.writesThrough ? guardedIn(reach, call.session.now()) : undefined;
  const ended = await bringProgram(call, view, { command, env });
  const made = guarded === undefined ? [] : madeSince(guarded, view.folder);
  if (made.length > 0) call.output.note(`sub: ${escapeText(madeRemark(made))}`);
  if (ended.kind === 'refused' && (ended.told === NOT_REUSED || ended.told === ISOLATED)) return undefined;
  await tellOfLayer(call, view);
  if (ended.kind === 'refused') {
    report(new SublError('policy_blocked', ended.told), call.output);
    return { exit: REFUSED, worldId: undefined, spanId: undefined };
  }
  if (ended.kind === 'called_off')
    return { exit: 128 + constants.signals[ended.signal], worldId: undefined, spanId: undefined };
  if (ended.kind === 'broken_off') throw new SublError('failed', 'the world ended before the command did');
  const told = parseJson(ended.told);
  return {
    exit: exitOfStatus(ended.status),
    worldId: textAt(told, 'world_id'),
    spanId: textAt(told, 'span_id'),
  };
}

/** The end of the command waits for this look, too. */
const TOLD = { names: 2000, bytes: 1_048_576 };

/** All that the commands of this world have written, and that is not in the project yet. */
async function tellOfLayer(call: Call, view: WorldView): Promise<void> {
  if (view.writesThrough) return;
  const about = readLayer(layerPlace(call.home.layersDir, sessionKey(view)));
  if (about === undefined || isUntouched(about)) return;
  const told = await tellOf(about, TOLD);
  if (told !== undefined) call.output.note(`sub: ${layerRemark(call.home, about, told, false)}`);
}
