import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type JsonValue, SublError, textAt, textsAt, valueAt } from '@subluminal/core-types';
import { isWithin } from './layout/folder.js';
import { type WorldLimits, limitsOf } from './limits.js';

/** The settings that the policy gives a world, as far as whoever starts its program applies them. */
export interface WorldSettings {
  /** The profile that fits; undefined where none does. */
  readonly profile: string | undefined;
  readonly limits: WorldLimits;
  /** More than one command may use the world. */
  readonly reuse: boolean;
  /** More paths that are shown, and may be written: those that are there. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Patterns of paths that a commit asks about, and of commands that have a layer of their own. */
  readonly asks: readonly string[];
  readonly isolated: readonly string[];
  /** Files and folders that are shown as empty: where their links lead. None is in another one. */
  readonly hidden: readonly string[];
}

/** Where the paths of settings begin. */
export interface SettingRoots {
  readonly home: string;
  /** The folder of the world. */
  readonly folder: string;
}

/**
 * The settings that the answer to `world.open` carries. A path that is not there is left out. Throws `usage`
 * for one that leads elsewhere by a link, and where the folder of the world would be hidden itself.
 */
export function settingsOf(answer: JsonValue, roots: SettingRoots): WorldSettings {
  const paths = (key: string): readonly string[] => textsAt(answer, 'settings', 'fs', key);
  const hidden = hiddenPaths(paths('hide'), roots.folder);
  const shown = (key: string): readonly string[] =>
    paths(key)
      .flatMap((text) => shownPath(wholePath(text, roots)) ?? [])
      .filter((path) => !hidden.some((one) => isWithin(path, one)));
  const profile = textAt(answer, 'settings', 'profile');
  return {
    profile: profile === '' ? undefined : profile,
    limits: limitsOf(answer),
    reuse: valueAt(answer, 'settings', 'reuse') !== false,
    read: shown('read'),
    write: shown('write'),
    asks: paths('ask'),
    isolated: textsAt(answer, 'settings', 'isolated'),
    hidden,
  };
}

/** Throws `usage` where a path that somebody named is one that the policy hides. */
export function assertNotHidden(named: readonly string[], { hidden, profile }: WorldSettings): void {
  const found = named.find((path) => hidden.some((one) => isWithin(path, one)));
  if (found === undefined) return;
  const by =
    profile === undefined ? 'the policy hides' : `the world profile \`${profile}\` of the policy hides`;
  throw new SublError('usage', `\`${found}\` cannot be shown: ${by} it from worlds`);
}

/** A name in the project may be a link: what it leads to is what has to be hidden. */
function hiddenPaths(names: readonly string[], folder: string): readonly string[] {
  const found = names.flatMap((name) => real(join(folder, name)) ?? []);
  if (found.some((path) => isWithin(folder, path)))
    throw new SublError('usage', `a path that the policy hides from worlds leads to \`${folder}\` itself`, {
      help: 'look at the links of the project, and at `fs.hide` in `sub policy explain --world`',
    });
  return [...new Set(found)].filter((path) => !found.some((one) => one !== path && isWithin(path, one)));
}

function wholePath(text: string, { home, folder }: SettingRoots): string {
  const [first = '', ...names] = text.split('/');
  const root = { $HOME: home, $PROJECT: folder, '': '/' }[first];
  if (root === undefined) throw new SublError('failed', `the gateway shows \`${text}\`, which is no path`);
  return join(root, ...names);
}

function shownPath(path: string): string | undefined {
  const found = real(path);
  if (found === undefined || found === resolve(path)) return found;
  throw new SublError(
    'usage',
    `\`${path}\`, which the policy shows to worlds, leads by a link to \`${found}\``,
    {
      help: 'name that path itself in the policy, if a world may have it',
    },
  );
}

/** Where it leads; undefined where nothing is there. */
function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}
