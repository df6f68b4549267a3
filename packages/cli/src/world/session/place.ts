import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalize,
  isSublError,
  type JsonValue,
  numberAt,
  parseJson,
  processAt,
  type ProcessIdentity,
  sha256Hex,
  textAt,
  valueAt,
} from '@subluminal/core-types';
import { hasCode, type HomePaths, isAlive } from '@subluminal/ipc';
import type { WorldView } from '@subluminal/worlds';

/** Enough that no two folders of a person have the same; a socket's path may have 107 bytes. */
const KEY_LENGTH = 16;

/** Where the world of a folder is found by whoever wants to run something there. */
export interface SessionPlace {
  /** The socket of the world. */
  readonly door: string;
  /** Says which process has the world, while one does. */
  readonly lock: string;
  /** Says what the world is, for people. */
  readonly about: string;
}

/** The facts that the process which keeps a world tells of it. */
export interface SessionAbout {
  readonly world_id: string;
  readonly run_id: string;
  readonly folder: string;
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly since: number;
  readonly holder: ProcessIdentity;
}

/** The place of the world that shows this; the same view leads to the same world. */
export function sessionPlace(home: HomePaths, view: WorldView): SessionPlace {
  return placeOf(home, sessionKey(view));
}

/** The name of the world that shows this, and of its layer. */
export function sessionKey({ folder, read, write, writesThrough }: WorldView): string {
  const shown = canonicalize({
    folder,
    read: [...read].toSorted(),
    write: [...write].toSorted(),
    through: writesThrough,
  });
  return sha256Hex(shown).slice(0, KEY_LENGTH);
}

/** Makes the folder of all places. */
export function makePlaces({ worldsDir }: HomePaths): void {
  mkdirSync(worldsDir, { recursive: true, mode: 0o700 });
}

/** The worlds that wait for programs, the oldest first. One whose process is gone is none. */
export function openSessions(home: HomePaths): readonly (SessionAbout & { readonly place: SessionPlace })[] {
  return namesIn(home.worldsDir)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const place = placeOf(home, name.slice(0, -'.json'.length));
      const about = readAbout(place);
      return about !== undefined && isAlive(about.holder) ? [{ ...about, place }] : [];
    })
    .toSorted((a, b) => a.since - b.since);
}

/** The world that waits for programs and has this layer; undefined: none does. */
export function sessionOfLayer(
  home: HomePaths,
  layer: string,
): ReturnType<typeof openSessions>[number] | undefined {
  const { about } = placeOf(home, layer);
  return openSessions(home).find(({ place }) => place.about === about);
}

function placeOf({ worldsDir }: HomePaths, key: string): SessionPlace {
  const at = join(worldsDir, key);
  return { door: `${at}.sock`, lock: `${at}.lock`, about: `${at}.json` };
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Undefined where it is gone, or was cut off by a crash. */
function readAbout({ about }: SessionPlace): SessionAbout | undefined {
  let said: JsonValue;
  try {
    said = parseJson(readFileSync(about, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT') || isSublError(error)) return undefined;
    throw error;
  }
  const holder = processAt(said, 'holder');
  const since = numberAt(said, 'since');
  if (holder === undefined || since === undefined) return undefined;
  return {
    world_id: textAt(said, 'world_id'),
    run_id: textAt(said, 'run_id'),
    folder: textAt(said, 'folder'),
    read: textsAt(said, 'read'),
    write: textsAt(said, 'write'),
    since,
    holder,
  };
}

function textsAt(said: JsonValue, name: string): readonly string[] {
  const list = valueAt(said, name);
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}
