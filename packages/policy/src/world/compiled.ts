import { SublError } from '@subluminal/core-types';
import { compilePathGlob, fitsPath, type PathPattern, splitPaths, splitRoots } from '../pattern/path-glob.js';
import type { PatternPool } from '../pattern/pool.js';
import type { NameTest } from '../pattern/regex.js';
import type { PlainWorld, PlainWorldFiles, PlainWorldProfile, PlainWorldSettings } from './plain.js';

/** A world that is to be opened. */
export interface AskedWorld {
  /** Undefined for a program of the run itself. */
  readonly server: string | undefined;
  /** The folder that it may write: absolute, without a link. */
  readonly folder: string;
  /** The home of the account. */
  readonly home: string;
  /** Where the system keeps its temporary files. */
  readonly tmp: string;
}

/** The settings of one policy for a world. */
export interface FoundWorld {
  /** The profile that fits; undefined where the settings of all worlds alone hold. */
  readonly profile: string | undefined;
  readonly settings: PlainWorldSettings;
}

/** The section `world` of a policy, ready to be asked. */
export interface CompiledWorld {
  find(asked: AskedWorld): FoundWorld;
}

/** Compiles it. Throws `policy_invalid` on a bad pattern. */
export function compileWorld(plain: PlainWorld, pool: PatternPool): CompiledWorld {
  const { profiles = [], ...ofAll } = plain;
  const compiled = profiles.map((profile) => compileProfile(profile, ofAll, pool));
  return {
    find: (asked) =>
      compiled.find(({ fits }) => fits(asked))?.found ?? { profile: undefined, settings: ofAll },
  };
}

interface CompiledProfile {
  readonly fits: (asked: AskedWorld) => boolean;
  readonly found: FoundWorld;
}

function compileProfile(
  { name, server, folder, ...own }: PlainWorldProfile,
  ofAll: PlainWorldSettings,
  pool: PatternPool,
): CompiledProfile {
  const isServer: NameTest | undefined = server && pool.names({ glob: server }).test;
  const folders = folder?.map(patternOf);
  return {
    fits: (asked) =>
      (isServer === undefined || (asked.server !== undefined && isServer(asked.server))) &&
      (folders === undefined || folders.some((pattern) => isFolder(pattern, asked))),
    found: { profile: name, settings: joined(ofAll, own) },
  };
}

/** A profile's own words in place of those of all worlds, key by key; files and commands are added. */
function joined(ofAll: PlainWorldSettings, own: PlainWorldSettings): PlainWorldSettings {
  const limits = { ...ofAll.limits, ...own.limits };
  const budget = { ...ofAll.egress_budget, ...own.egress_budget };
  const files = (key: keyof PlainWorldFiles): readonly string[] => [
    ...new Set([...(ofAll.fs?.[key] ?? []), ...(own.fs?.[key] ?? [])]),
  ];
  const fs = { ask: files('ask'), hide: files('hide'), read: files('read'), write: files('write') };
  const isolated = [...(ofAll.commands?.isolated ?? []), ...(own.commands?.isolated ?? [])];
  const commands = { isolated: [...new Set(isolated)] };
  return { ...ofAll, ...own, limits, egress_budget: budget, fs, commands };
}

function patternOf(source: string): PathPattern {
  const result = compilePathGlob(source);
  if (!result.ok) throw new SublError('policy_invalid', result.why);
  return result.pattern;
}

function isFolder(pattern: PathPattern, { folder, home, tmp }: AskedWorld): boolean {
  const roots = splitRoots({ home, tmp, project: folder });
  return splitPaths(folder).some((path) => fitsPath(path, pattern, roots, EXACTLY) === true);
}

const EXACTLY = { isUnder: false, isSure: true };
