import { compileGlob } from '../pattern/glob.js';
import { compilePathGlob } from '../pattern/path-glob.js';
import { type Finding, quoted } from '../problem/problem.js';
import type { PlainWorld, PlainWorldProfile, PlainWorldSettings } from './plain.js';
import { readShownPath } from './paths.js';

/** The machine on which a policy is looked at, as far as it says more than the bundle does. */
export interface AroundPolicy {
  /** Whether an entry of the allowlist names the host; undefined where nobody can tell. */
  readonly isListed: ((host: string) => boolean) | undefined;
  /** The home of the account, and that of the gateway. */
  readonly home: string;
  readonly gatewayHome: string;
}

/** Profiles that no world can have, and patterns that fit nothing in one. */
export function worldWarnings(world: PlainWorld | undefined): readonly Finding[] {
  if (world === undefined) return [];
  const { profiles = [], ...ofAll } = world;
  return [
    ...neverFit(ofAll, ['world'], ofAll),
    ...profiles.flatMap((profile, at) => neverFit(profile, ['world', 'profiles', at], ofAll)),
    ...profileWarnings(profiles),
  ];
}

/** A world changes nothing that is hidden, and nobody is asked about a file that is written at once. */
function neverFit(
  { fs, commands }: PlainWorldSettings,
  path: Finding['path'],
  ofAll: PlainWorldSettings,
): readonly Finding[] {
  const hidden = [...(fs?.hide ?? []), ...(ofAll.fs?.hide ?? [])].map((one) => `$PROJECT/${one}`);
  const written = [...(fs?.write ?? []), ...(ofAll.fs?.write ?? [])];
  const under = (text: string, places: readonly string[]): string | undefined =>
    places.find((place) => `${text}/`.startsWith(`${place}/`));
  const asks = (fs?.ask ?? []).flatMap((text): readonly Finding[] => {
    const [hide, write] = [under(text, hidden), under(text, written)];
    const at = { code: 'world_never', path: [...path, 'fs', 'ask'] } as const;
    if (hide !== undefined)
      return [
        {
          ...at,
          message: `${quoted(text)} is never asked about: \`hide\` has it, so no world changes it`,
          help: 'remove it from `ask` or from `hide`',
        },
      ];
    if (write === undefined) return [];
    const message = `${quoted(text)} is never asked about: \`write\` has ${quoted(write)} written at once`;
    return [{ ...at, message, help: 'remove it from `ask`, or the folder from `write`' }];
  });
  const isolated = (commands?.isolated ?? [])
    .filter((text) => /^[~./]/.test(text))
    .map((text): Finding => ({
      code: 'world_never',
      message: `${quoted(text)} fits no command: a program is compared by its name, without a path`,
      path: [...path, 'commands', 'isolated'],
      help: 'write the name and the words behind it, as `pip install *`',
    }));
  return [...asks, ...isolated];
}

function profileWarnings(profiles: readonly PlainWorldProfile[]): readonly Finding[] {
  return profiles.flatMap((profile, at): readonly Finding[] => {
    const path = ['world', 'profiles', at];
    const name = quoted(profile.name);
    if (profile.folder?.every(isNoFolder) === true) {
      const message = `profile ${name} can never apply: none of its folders can be that of a world`;
      return [
        { code: 'profile_never', message, path, help: 'name the folder of a project, as `~/work/shop`' },
      ];
    }
    const above = profiles.slice(0, at).find((one) => covers(one, profile));
    if (above === undefined) return [];
    const message = `profile ${name} never applies: profile ${quoted(above.name)} above it is for the same worlds`;
    return [{ code: 'profile_never', message, path, help: 'move the profile up, or remove it' }];
  });
}

/** Remarks that only this machine tells: hosts that the allowlist lacks, paths to the gateway's keys. */
export function worldWarningsHere(
  world: PlainWorld | undefined,
  { isListed, home, gatewayHome }: AroundPolicy,
): readonly Finding[] {
  if (world === undefined) return [];
  const { profiles = [], ...ofAll } = world;
  const parts = [
    { settings: ofAll, path: ['world'] },
    ...profiles.map((settings, at) => ({ settings, path: ['world', 'profiles', at] })),
  ];
  return parts.flatMap(({ settings, path }) => [
    ...(settings.net?.allowed ?? [])
      .filter((host) => isListed?.(host) === false)
      .map((host): Finding => ({
        code: 'host_not_listed',
        message: `${quoted(host)} is on no entry of the allowlist, so \`enforce\` refuses it to every world`,
        path: [...path, 'net', 'allowed'],
        help: `\`sub allow add ${host}\`, or remove it`,
      })),
    ...(['read', 'write'] as const).flatMap((key) =>
      (settings.fs?.[key] ?? [])
        .filter((text) => showsHome(text, home, gatewayHome))
        .map((text): Finding => ({
          code: 'world_shows_gateway',
          message: `${quoted(text)} shows the gateway’s home \`${gatewayHome}\`: no world will begin`,
          path: [...path, 'fs', key],
          help: 'name a path that holds none of it',
        })),
    ),
  ]);
}

function showsHome(text: string, home: string, gatewayHome: string): boolean {
  const reading = readShownPath(text);
  if (!reading.ok || reading.path.root === 'project') return false;
  const shown = [...(reading.path.root === 'home' ? [home] : ['']), ...reading.path.names].join('/');
  return `${gatewayHome}/`.startsWith(`${shown}/`) || `${shown}/`.startsWith(`${gatewayHome}/`);
}

/**
 * The folder of a world is a project: a path that begins with `$PROJECT` is below it, and `/` and a home are
 * none.
 */
function isNoFolder(text: string): boolean {
  const glob = compilePathGlob(text);
  if (!glob.ok) return true;
  const { root, segments } = glob.pattern;
  if (root === 'project') return segments.some(({ isAny }) => !isAny);
  return segments.length === 0 && root !== 'tmp';
}

/** Whether a profile is for every world that the other is for, as far as their texts tell. */
function covers(one: PlainWorldProfile, other: PlainWorldProfile): boolean {
  return (
    listCovers(one.server, other.server, (wide, narrow) => globCovers(wide, narrow)) &&
    listCovers(one.folder, other.folder, (wide, narrow) => wide === narrow || wide === '**')
  );
}

function listCovers(
  wide: readonly string[] | undefined,
  narrow: readonly string[] | undefined,
  isWider: (wide: string, narrow: string) => boolean,
): boolean {
  if (wide === undefined) return true;
  return narrow?.every((one) => wide.some((other) => isWider(other, one))) ?? false;
}

function globCovers(wide: string, narrow: string): boolean {
  if (wide === narrow || wide === '*') return true;
  const glob = compileGlob(wide);
  return glob.ok && !/[*?[\]{}\\]/.test(narrow) && glob.test(narrow);
}
