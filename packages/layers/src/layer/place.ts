import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  isSublError,
  type JsonValue,
  parseJson,
  processAt,
  type ProcessIdentity,
  SublError,
  textAt,
} from '@subluminal/core-types';
import { hasCode, isAlive } from '@subluminal/ipc';
import { assertOver, type Over, overAt, overJson, overOf } from './over.js';

/** Where a layer keeps its things: a folder in the gateway's home that no world sees. */
export interface LayerPlace {
  readonly id: string;
  readonly folder: string;
  /** The world's writes. */
  readonly upper: string;
  readonly about: string;
  readonly bases: string;
  readonly journal: string;
  /** Says which entry of the ledger began the decision that is under way. */
  readonly recorded: string;
  /** The patterns of `asks.ts`. */
  readonly asks: string;
  /** The room that it took when that was last counted. */
  readonly size: string;
}

/** A layer as it is kept. */
export interface LayerAbout {
  readonly place: LayerPlace;
  /** The folder of the project that it lies over. */
  readonly project: string;
  /** Which folder that was; undefined: a version before this one has made it. */
  readonly over: Over | undefined;
  /** When it began, in nanoseconds since 1970. */
  readonly beganAt: bigint;
  /** Since when its world, or the last one that it had, sees the project; in nanoseconds since 1970. */
  readonly mountedAt: bigint;
  /** The run whose world has it, or had it last, and the command in words. */
  readonly runId: string;
  readonly label: string;
  /** The process that has it in a world; undefined: it is in none. */
  readonly world: ProcessIdentity | undefined;
  /** The process that carries out what somebody decides on it; undefined: nobody does. */
  readonly decider: ProcessIdentity | undefined;
}

/** A project's folder, the process that takes a layer over it, and for what. */
export interface TakeLayer {
  readonly project: string;
  readonly runId: string;
  readonly label: string;
  readonly taker: ProcessIdentity;
  readonly as: 'world' | 'decider';
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The place of the layer of that name. */
export function layerPlace(layersDir: string, id: string): LayerPlace {
  const folder = join(layersDir, id);
  return {
    id,
    folder,
    upper: join(folder, 'upper'),
    about: join(folder, 'about.json'),
    bases: join(folder, 'bases'),
    journal: join(folder, 'journal'),
    recorded: join(folder, 'recorded'),
    asks: join(folder, 'asks.json'),
    size: join(folder, 'size.json'),
  };
}

/**
 * Makes a layer over a project, or takes the one of that name. One that a world has may be decided on beside
 * that world, by one process at a time. Throws `usage` if it is taken for a world and has one, if somebody
 * else decides on it, or if it lies over another folder.
 */
export function takeLayer(
  place: LayerPlace,
  { project, runId, label, taker, as, now }: TakeLayer,
): LayerAbout {
  const known = readLayer(place);
  if (known !== undefined && known.project !== project)
    throw new SublError('usage', `the layer \`${place.id}\` lies over \`${known.project}\``, {
      help: 'go into that folder, or leave the layer out',
    });
  if (as === 'world' && known !== undefined) assertNoWorld(known);
  if (known?.decider !== undefined && known.decider.pid !== taker.pid)
    throw new SublError('usage', `somebody decides on the layer \`${place.id}\``, {
      help: `wait until \`sub\`, process ${known.decider.pid}, has ended`,
    });
  if (known === undefined) makeFolders(place, project);
  const takenAt = BigInt(now) * NS_OF_MS;
  const fresh = { place, project, runId, label, beganAt: takenAt, mountedAt: takenAt, world: undefined };
  const over = known?.over ?? overOf(project);
  const about =
    as === 'decider'
      ? { ...fresh, ...known, over, decider: taker }
      : { ...fresh, over, beganAt: known?.beganAt ?? takenAt, world: taker, decider: undefined };
  writeAbout(about);
  return about;
}

/** Throws `usage` if a world that runs has the layer. */
export function assertNoWorld({ place, world }: LayerAbout): void {
  if (world === undefined) return;
  throw new SublError('usage', `the layer \`${place.id}\` is in a world that runs`, {
    help: 'end that world first: `sub world close`',
  });
}

const NS_OF_MS = 1_000_000n;

/** So begin the names of folders of a layer that is removed: worlds have made all that is in them. */
const MOVED_UP = '.';

/** Throws `failed` if another folder has the path of a layer's project now. */
export function assertSameProject(about: LayerAbout): void {
  const stats = lstatSync(about.project, { bigint: true, throwIfNoEntry: false });
  if (stats !== undefined) assertOver(about, stats);
}

/** All layers of a home, the oldest first. */
export function layersIn(layersDir: string): readonly LayerAbout[] {
  let names: readonly string[];
  try {
    names = readdirSync(layersDir);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
  return names
    .filter((name) => !name.startsWith(MOVED_UP))
    .flatMap((name) => {
      const about = readLayer(layerPlace(layersDir, name));
      return about === undefined ? [] : [about];
    })
    .toSorted((a, b) => (a.beganAt < b.beganAt ? -1 : 1));
}

const SHORTEST = 4;

/** The shortest beginning of a layer's name that `layerNamed` takes, where these are the names of all. */
export function shortName(id: string, all: readonly string[]): string {
  const others = all.filter((other) => other !== id);
  for (let length = SHORTEST; length < id.length; length += 1) {
    const begin = id.slice(0, length);
    if (!others.some((other) => other.startsWith(begin))) return begin;
  }
  return id;
}

/**
 * The layer of that name, or the only one whose name begins so. Throws `not_found` if there is none, and
 * `usage` if there are more: the name is somebody's word, and no path.
 */
export function layerNamed(layersDir: string, id: string): LayerAbout {
  const all = layersIn(layersDir);
  const begun = id.length < SHORTEST ? [] : all.filter(({ place }) => place.id.startsWith(id));
  const found = all.find(({ place }) => place.id === id) ?? (begun.length === 1 ? begun[0] : undefined);
  if (found !== undefined) return found;
  if (begun.length > 1)
    throw new SublError('usage', `${begun.length} layers have names that begin with \`${id}\``, {
      help: `one is meant: ${begun.map(({ place }) => `\`${place.id}\``).join(', ')}`,
    });
  throw new SublError('not_found', `there is no layer \`${id}\``, {
    help: '`sub world status` lists the layers that hold changes',
  });
}

/** Undefined where there is none, or its making was cut off. A process that is gone is none. */
export function readLayer(place: LayerPlace): LayerAbout | undefined {
  let said: JsonValue;
  try {
    said = parseJson(readFileSync(place.about, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR') || isSublError(error)) return undefined;
    throw error;
  }
  const alive = (of: string): ProcessIdentity | undefined => {
    const one = processAt(said, of);
    return one !== undefined && isAlive(one) ? one : undefined;
  };
  return {
    place,
    project: textAt(said, 'project'),
    over: overAt(said),
    beganAt: BigInt(textAt(said, 'began_at')),
    mountedAt: BigInt(textAt(said, 'mounted_at') || textAt(said, 'began_at')),
    runId: textAt(said, 'run_id'),
    label: textAt(said, 'label'),
    world: alive('holder'),
    decider: alive('decider'),
  };
}

/** Whether nothing is written there: never, or not any more, since somebody has begun to throw it away. */
export function isUntouched({ place }: LayerAbout): boolean {
  try {
    return readdirSync(place.upper).length === 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true;
    // The world has taken its own permissions from it: that is a change.
    if (hasCode(error, 'EACCES')) return false;
    throw error;
  }
}

/** The world sees the upper folder as the project's: it has that one's owner and permissions. */
function makeFolders({ folder, upper }: LayerPlace, project: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { uid, gid, mode } = lstatSync(project);
  for (const path of [upper, join(folder, 'work')]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (process.getuid?.() === 0) chownSync(path, uid, gid);
  }
  chmodSync(upper, mode & 0o7777);
}

function writeAbout(about: LayerAbout): void {
  const { place, project, over, beganAt, mountedAt, runId, label, world, decider } = about;
  const fresh = `${place.about}.new`;
  const text = JSON.stringify({
    project,
    ...(over === undefined ? {} : { over: overJson(over) }),
    began_at: String(beganAt),
    mounted_at: String(mountedAt),
    run_id: runId,
    label,
    ...(world === undefined ? {} : { holder: world }),
    ...(decider === undefined ? {} : { decider }),
  });
  writeFileSync(fresh, text, { mode: 0o600 });
  renameSync(fresh, place.about);
}
