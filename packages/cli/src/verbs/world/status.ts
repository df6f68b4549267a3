import type { FsDiff } from '@subluminal/core-types';
import { type LayerAbout, layersIn, sizeOf, tellOf } from '@subluminal/layers';
import type { HomePaths } from '@subluminal/ipc';
import type { Command } from 'commander';
import { escapeText } from '../../output/escape.js';
import { span } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';
import { signsOf } from '@subluminal/records';
import { readDisk } from '../../home/settings.js';
import { isOld, sizeText } from '../../world/layer/budget.js';
import { checkLayers } from '../../world/layer/check-layers.js';
import { waitingLayers } from '../../world/layer/waiting.js';
import { openSessions } from '../../world/session/place.js';

const NS_OF_MS = 1_000_000n;
/** Names of a layer that are looked at for its size. */
const MOST_NAMES = 50_000;

/** `sub world status`: the worlds that wait for commands, and the layers that wait for somebody to decide. */
export function defineStatus(group: Command, does: Does): void {
  does(
    subVerb(group, 'status', 'list the worlds that wait for commands, and the layers that hold changes'),
    {},
    async (call) => {
      const changed = await changedLayers(call.home);
      if (call.output.json) {
        const worlds = openSessions(call.home).map(({ place: _place, ...about }) => about);
        const runs = worldsOfRuns(call.home).map(runJson);
        call.output.value({ worlds, runs, layers: changed.map((one) => layerJson(call, one)) });
        return EXIT.done;
      }
      printWorlds(call);
      for (const about of worldsOfRuns(call.home)) printRun(call, about);
      for (const layer of changed) printLayer(call, layer);
      printRoom(call);
      if (changed.length > 0) call.output.note('`sub world diff --layer ID` shows a layer');
      return EXIT.done;
    },
  );
}

interface ChangedLayer {
  readonly about: LayerAbout;
  readonly told: FsDiff;
}

/** The layers in worlds of runs, and of commands alone: such a world has a layer while it lives. */
function worldsOfRuns(home: HomePaths): readonly LayerAbout[] {
  const waiting = new Set(openSessions(home).map(({ run_id: runId }) => runId));
  return layersIn(home.layersDir).filter(({ world, runId }) => world !== undefined && !waiting.has(runId));
}

function printRun(call: Call, { project, runId, label, beganAt }: LayerAbout): void {
  const age = span(call.session.now() - Number(beganAt / NS_OF_MS));
  call.output.line(`${escapeText(project)}  in a run, up for ${age}`);
  call.output.line(`  ${escapeText(label)}  run ${escapeText(runId)}`);
}

function runJson({ place, project, runId, label, beganAt, world }: LayerAbout): object {
  return {
    run_id: runId,
    folder: project,
    layer: place.id,
    label,
    since: Number(beganAt / NS_OF_MS),
    holder: { pid: world?.pid, start: world?.start },
  };
}

/** All layers together, where they take nearly all of their room. */
function printRoom({ home, output, session }: Call): void {
  const check = checkLayers(home, session.now());
  if (check !== undefined) output.note(check.message);
}

/** One after the other: each look is a process of its own. */
async function changedLayers(home: HomePaths): Promise<readonly ChangedLayer[]> {
  const changed: ChangedLayer[] = [];
  for (const about of waitingLayers(home)) {
    const told = await tellOf(about);
    if (told !== undefined) changed.push({ about, told });
  }
  return changed;
}

function printWorlds(call: Call): void {
  const sessions = openSessions(call.home);
  if (sessions.length === 0) call.output.line('no world waits for commands');
  for (const { world_id: id, run_id: runId, folder, read, write, since } of sessions) {
    const age = span(call.session.now() - since);
    call.output.line(`${escapeText(folder)}  up for ${age}`);
    call.output.line(`  world ${escapeText(id)}  run ${escapeText(runId)}`);
    for (const path of read) call.output.line(`  reads ${escapeText(path)}`);
    for (const path of write) call.output.line(`  writes ${escapeText(path)}`);
  }
}

function printLayer(call: Call, { about, told }: ChangedLayer): void {
  const { place, project, beganAt, label, runId } = about;
  const age = span(call.session.now() - Number(beganAt / NS_OF_MS));
  const room = sizeText(sizeOf([place], MOST_NAMES));
  call.output.line(`${escapeText(project)}  ${signsOf(told)}`);
  call.output.line(`  layer ${place.id}  since ${age}, ${room}${takerOf(about)}`);
  call.output.line(`  ${escapeText(label)}  run ${escapeText(runId)}`);
}

function takerOf({ world, decider }: LayerAbout): string {
  if (world !== undefined) return ', in a world that runs';
  return decider === undefined ? '' : ', and somebody decides on it';
}

function layerJson({ home, session }: Call, { about, told }: ChangedLayer): object {
  const { place, project, beganAt, label, runId, world } = about;
  return {
    layer: place.id,
    folder: project,
    since: Number(beganAt / NS_OF_MS),
    label,
    run_id: runId,
    in_world: world !== undefined,
    bytes: sizeOf([place], MOST_NAMES).bytes,
    old: isOld(about, readDisk(home).layersDays, session.now()),
    fs_diff: told,
  };
}
