import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { SublError } from '@subluminal/core-types';
import {
  type BytePath,
  type Folder,
  Folders,
  foldersOf,
  type Layer,
  type LayerAbout,
  layerNamed,
  pathOfShown,
  pathOfText,
} from '@subluminal/layers';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { flag, string, type Values } from '../../program/flags.js';
import { waitingLayers } from './waiting.js';

/** The flag by which a verb is told which layer is meant. */
export const LAYER_FLAG = {
  layer: string('<id>', 'that layer (default: the one of this folder)'),
  asShown: flag('paths are as `--json` writes them, from the folder of the layer on'),
};

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

/** A path of the project as somebody has named it. */
export interface NamedPath {
  readonly said: string;
  readonly path: BytePath;
}

/**
 * Paths that somebody has named, from the project on; none, which means all, if the project itself is among
 * them. Throws `usage` for one that is not in it.
 */
export function pathsIn(
  { project }: LayerAbout,
  named: readonly string[],
  cwd: string,
  { asShown }: Pick<Given['flags'], 'asShown'>,
): readonly NamedPath[] {
  if (asShown) return named.map(pathShown);
  // The folder itself may be in the layer alone, so the working folder is all that is looked up.
  const here = realpathSync(cwd);
  const paths = named.map((said) => {
    const path = resolve(here, said);
    if (!isIn(path, project))
      throw new SublError('usage', `\`${said}\` is not in \`${project}\``, {
        help: 'name files and folders of the project',
      });
    return { said, path: pathOfText(relative(project, path)) };
  });
  return paths.some(({ path }) => path === '') ? [] : paths;
}

/** Throws `usage` for a text that no path is written as. */
function pathShown(said: string): NamedPath {
  const path = pathOfShown(said);
  if (path !== undefined && path !== '') return { said, path };
  throw new SublError('usage', `no path is written as \`${said}\``, {
    help: '`sub world diff --json` writes them',
  });
}

/**
 * The same paths, each of which is or holds a change of the layer. Throws `not_found` if none does, or for
 * one that the project has not, either: a shell's `*` names unchanged files, too.
 */
export function fitting(named: readonly NamedPath[], { diff, project }: Layer): readonly BytePath[] {
  const fits = new Set<BytePath>();
  for (const { path } of diff.changes) for (const one of foldersOf(path)) fits.add(one);
  const others = named.filter(({ path }) => !fits.has(path));
  const lost =
    others.length === named.length ? others[0] : others.find(({ path }) => !isThere(project, path));
  if (lost === undefined || diff.isTruncated) return named.map(({ path }) => path);
  throw new SublError('not_found', `\`${lost.said}\` has no changes in the layer`, {
    help: '`sub world diff` lists what has',
  });
}

/** Has words that say what to do name the layer, if somebody has named it. */
export function naming(help: string, { flags }: Given): string {
  return flags.layer === undefined
    ? help
    : help.replaceAll(/`sub world (?:diff|commit|discard)\b/g, `$& --layer ${flags.layer}`);
}

function isThere(project: Folder, path: BytePath): boolean {
  const folders = new Folders(project);
  try {
    return folders.look(path) !== undefined;
  } finally {
    folders.close();
  }
}

function isIn(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && !join(way, '/').startsWith('../');
}
