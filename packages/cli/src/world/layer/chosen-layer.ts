import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { type BytePath, type LayerAbout, layerNamed, pathOfText } from '@subluminal/layers';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { string, type Values } from '../../program/flags.js';
import { waitingLayers } from './waiting.js';

/** The flag by which a verb is told which layer is meant. */
export const LAYER_FLAG = { layer: string('<id>', 'that layer (default: the one of this folder)') };

type Given = Call<Values<typeof LAYER_FLAG>>;

/**
 * The layer that is named, else the only one that holds changes of the project around the working folder.
 * Throws `not_found` if there is none, and `usage` if there are more.
 */
export function chosenLayer({ flags, home, session }: Given): LayerAbout {
  if (flags.layer !== undefined) return layerNamed(home.layersDir, flags.layer);
  const folder = realpathSync(session.cwd);
  const all = waitingLayers(home).filter(({ project }) => isIn(folder, project));
  const [first] = all;
  if (first === undefined)
    throw new SublError('not_found', `no layer holds changes of \`${folder}\``, {
      help: '`sub world status` lists the layers that hold changes',
    });
  if (all.length === 1) return first;
  const names = all.map(({ place, label }) => `\`${place.id}\` (${escapeText(label)})`).join(', ');
  throw new SublError('usage', `more than one layer holds changes of this folder: ${names}`, {
    help: 'name one: `--layer ID`',
  });
}

/** Paths that somebody has named, from the project on. Throws `usage` for one that is not in it. */
export function pathsIn({ project }: LayerAbout, named: readonly string[], cwd: string): readonly BytePath[] {
  // The folder itself may be in the layer alone, so the working folder is all that is looked up.
  const here = realpathSync(cwd);
  return named.map((name) => {
    const path = resolve(here, name);
    if (!isIn(path, project))
      throw new SublError('usage', `\`${name}\` is not in \`${project}\``, {
        help: 'name files and folders of the project',
      });
    return pathOfText(relative(project, path));
  });
}

function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && !join(way, '/').startsWith('../');
}
