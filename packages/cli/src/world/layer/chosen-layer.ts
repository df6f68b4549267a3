import { realpathSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { commandText, SublError } from '@subluminal/core-types';
import {
  type BytePath,
  bytesOf,
  type Diff,
  type Folder,
  Folders,
  foldersOf,
  type Layer,
  type LayerAbout,
  layerNamed,
  layersIn,
  pathOfShown,
  pathOfText,
  shortName,
  tellOf,
} from '@subluminal/layers';
import { escapeText } from '../../output/escape.js';
import { span } from '../../output/time.js';
import type { Call } from '../../program/call.js';
import { flag, string, type Values } from '../../program/flags.js';
import { signsOf } from '@subluminal/records';
import { changedLayers, waitingLayers } from './waiting.js';

/** The flag by which a verb is told which layer is meant. */
export const LAYER_FLAG = {
  layer: string('<id>', 'that layer (default: the one of this folder)'),
  asShown: flag('paths are as `--json` writes them, from the folder of the layer on'),
};

type Given = Call<Values<typeof LAYER_FLAG>>;
const NS_OF_MS = 1_000_000n;

type LayerVerb = 'commit' | 'diff' | 'discard';

/**
 * The layer that is named, else the only one that holds changes of the project around the working folder;
 * undefined if none does. Throws the errors of `layerNamed`, and `usage` if there are more: it says by which
 * command each is meant.
 */
export async function chosenLayer(call: Given, verb: LayerVerb): Promise<LayerAbout | undefined> {
  const { flags, home } = call;
  if (flags.layer !== undefined) return layerNamed(home.layersDir, flags.layer);
  const folder = folderOf(call);
  const waiting = waitingLayers(home).filter(({ project }) => isIn(folder, project));
  if (waiting.length <= 1) return waiting[0];
  const changed = await changedLayers(home);
  const all = waiting.filter(({ place }) => changed.some((one) => one.place.id === place.id));
  if (all.length <= 1) return all[0] ?? waiting[0];
  const names = layersIn(home.layersDir).map(({ place }) => place.id);
  const known = await Promise.all(all.map((about) => describedLayer(call, about)));
  const commands = all.map(({ place }) => commandOf(call, verb, shortName(place.id, names)));
  if (!call.output.json)
    for (const [at, text] of known.entries()) {
      call.output.note(`sub: ${text}`);
      call.output.note(`     \`${commands[at]}\``);
    }
  throw new SublError(
    'usage',
    `${all.length} layers hold changes of this folder${call.output.json ? `: ${known.join('; ')}` : ''}`,
    {
      help: call.output.json ? commands.map((one) => `\`${one}\``).join(' or ') : 'run one of these commands',
    },
  );
}

/** The working folder, by its own path. */
export function folderOf({ session }: Call): string {
  return realpathSync(session.cwd);
}

/** Throws `not_found` for paths that are named where no layer holds changes. */
export function assertNoneNamed(call: Given): void {
  if (call.args.length === 0) return;
  throw new SublError('not_found', `no layer holds changes of \`${folderOf(call)}\``, {
    help: '`sub world status` lists the layers that hold changes',
  });
}

/** A layer in one line: its name, its changes, its age, and where it came from. */
async function describedLayer({ session }: Given, about: LayerAbout): Promise<string> {
  const { place, label, beganAt, world } = about;
  const told = await tellOf(about);
  const age = span(session.now() - Number(beganAt / NS_OF_MS));
  const of = label === 'world' ? 'of this folder' : `of \`${escapeText(label)}\``;
  const signs = told === undefined ? 'nothing differs' : signsOf(told);
  return `layer ${place.id}  ${signs}  ${age} old, ${of}${world === undefined ? '' : ', in a world that runs'}`;
}

/** The command that was typed, for that layer. */
function commandOf({ flags, args }: Given, verb: LayerVerb, layer: string): string {
  const set = Object.entries<unknown>(flags).flatMap(([name, value]) =>
    value === true && name !== 'recover' ? [`--${kebab(name)}`] : [],
  );
  return commandText(['world', verb, '--layer', layer, ...set], args).text;
}

function kebab(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
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
export function fitting(
  named: readonly NamedPath[],
  diff: Diff,
  { project }: Pick<Layer, 'project'>,
): readonly BytePath[] {
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

/** Has words that say what to do name the layer, if somebody has named it, and the paths in question. */
export type Naming = (help: string, paths?: readonly BytePath[]) => string;

/** More paths than these are not named in one command. */
const MOST_NAMED = 20;

/** Names paths from the working folder on, as the verbs take them. */
export function namingOf(call: Given, { project }: Pick<LayerAbout, 'project'>): Naming {
  const folder = folderOf(call);
  const { layer } = call.flags;
  return (help, paths = []) => {
    const names = paths.map((path) => relative(folder, join(project, bytesOf(path).toString('utf8'))));
    const { text, left } = commandText(
      [],
      names.map((name) => (name.startsWith('-') ? `./${name}` : name)),
    );
    const isNamed = names.length > 0 && names.length <= MOST_NAMED && !left;
    const named = isNamed ? help.replaceAll(/\bPATH\b/g, () => text.slice('sub '.length)) : help;
    return layer === undefined
      ? named
      : named.replaceAll(/`sub world (?:diff|commit|discard)\b/g, `$& --layer ${layer}`);
  };
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
