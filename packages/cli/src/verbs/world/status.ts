import type { FsDiff } from '@subluminal/core-types';
import { type LayerAbout, tellOf } from '@subluminal/layers';
import type { HomePaths } from '@subluminal/ipc';
import type { Command } from 'commander';
import { escapeText } from '../../output/escape.js';
import { span } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';
import { signsOf } from '../../record/files-text.js';
import { waitingLayers } from '../../world/layer/waiting.js';
import { openSessions } from '../../world/session/place.js';

const NS_OF_MS = 1_000_000n;

/** `sub world status`: the worlds that wait for commands, and the layers that wait for somebody to decide. */
export function defineStatus(group: Command, does: Does): void {
  does(
    subVerb(group, 'status', 'list the worlds that wait for commands, and the layers that hold changes'),
    {},
    async (call) => {
      const changed = await changedLayers(call.home);
      if (call.output.json) {
        const worlds = openSessions(call.home).map(({ place: _place, ...about }) => about);
        call.output.value({ worlds, layers: changed.map(layerJson) });
        return EXIT.done;
      }
      printWorlds(call);
      for (const layer of changed) printLayer(call, layer);
      if (changed.length > 0) call.output.note('`sub world diff --layer ID` shows a layer');
      return EXIT.done;
    },
  );
}

interface ChangedLayer {
  readonly about: LayerAbout;
  readonly told: FsDiff;
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
  const { place, project, beganAt, label, runId, holder } = about;
  const age = span(call.session.now() - Number(beganAt / NS_OF_MS));
  const where = holder === undefined ? '' : ', in a world that runs';
  call.output.line(`${escapeText(project)}  ${signsOf(told)}`);
  call.output.line(`  layer ${place.id}  since ${age}${where}`);
  call.output.line(`  ${escapeText(label)}  run ${escapeText(runId)}`);
}

function layerJson({ about, told }: ChangedLayer): object {
  const { place, project, beganAt, label, runId, holder } = about;
  return {
    layer: place.id,
    folder: project,
    since: Number(beganAt / NS_OF_MS),
    label,
    run_id: runId,
    in_world: holder !== undefined,
    fs_diff: told,
  };
}
