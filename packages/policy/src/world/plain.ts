import {
  compareCodePoints,
  type PolicyWorld,
  type PolicyWorldProfile,
  readHost,
} from '@subluminal/core-types';
import { compileGlob } from '../pattern/glob.js';
import { compilePathGlob } from '../pattern/path-glob.js';
import { readHiddenPath, readShownPath } from './paths.js';

/** The settings of worlds that a bundle may have, in their normal form. */
export interface PlainWorldSettings {
  readonly limits?: PlainWorldLimits;
  readonly reuse?: boolean;
  readonly net?: { readonly allowed: readonly string[] };
  readonly fs?: PlainWorldFiles;
  readonly commands?: PlainWorldCommands;
  readonly egress_budget?: PlainWorldBudget;
}
export interface PlainWorldLimits {
  readonly memory?: string;
  readonly cpu?: string;
  readonly processes?: number;
  readonly wall_ms?: number;
  readonly disk?: string;
}
export interface PlainWorldFiles {
  readonly ask?: readonly string[];
  readonly hide?: readonly string[];
  readonly read?: readonly string[];
  readonly write?: readonly string[];
}
export interface PlainWorldCommands {
  readonly isolated?: readonly string[];
}
export interface PlainWorldBudget {
  readonly bytes_per_sec?: number;
  readonly total_bytes?: number;
}
export interface PlainWorldProfile extends PlainWorldSettings {
  readonly name: string;
  readonly server?: readonly string[];
  readonly folder?: readonly string[];
}
export interface PlainWorld extends PlainWorldSettings {
  /** In their order. */
  readonly profiles?: readonly PlainWorldProfile[];
}

/** The normal form of the settings of worlds. */
export function plainWorld({ profiles, ...settings }: PolicyWorld): PlainWorld {
  return {
    ...plainSettings(settings),
    ...(profiles === undefined ? {} : { profiles: profiles.map(plainProfile) }),
  };
}

function plainProfile({ name, server, folder, ...settings }: PolicyWorldProfile): PlainWorldProfile {
  return {
    name,
    ...(server === undefined ? {} : { server: sorted(server.map(normalGlob)) }),
    ...(folder === undefined ? {} : { folder: sorted(folder.map(normalPath)) }),
    ...plainSettings(settings),
  };
}

function plainSettings({
  limits,
  reuse,
  net,
  fs,
  commands,
  egress_budget,
}: Omit<PolicyWorld, 'profiles'>): PlainWorldSettings {
  return {
    ...(limits === undefined ? {} : { limits: defined(limits) }),
    ...(reuse === undefined ? {} : { reuse }),
    ...(net === undefined ? {} : { net: { allowed: sorted(net.allowed.map(normalHost)) } }),
    ...(fs === undefined ? {} : { fs: plainFiles(fs) }),
    ...(commands === undefined ? {} : { commands: plainCommands(commands) }),
    ...(egress_budget === undefined ? {} : { egress_budget: defined(egress_budget) }),
  };
}

function plainFiles({ ask, hide, read, write }: NonNullable<PolicyWorld['fs']>): PlainWorldFiles {
  return {
    ...(ask === undefined ? {} : { ask: sorted(ask.map(normalPath)) }),
    ...(hide === undefined ? {} : { hide: sorted(hide.map(normalHidden)) }),
    ...(read === undefined ? {} : { read: sorted(read.map(normalShown)) }),
    ...(write === undefined ? {} : { write: sorted(write.map(normalShown)) }),
  };
}

function plainCommands({ isolated }: NonNullable<PolicyWorld['commands']>): PlainWorldCommands {
  return isolated === undefined ? {} : { isolated: sorted(isolated.map(normalGlob)) };
}

/** Without the members that are left out. */
function defined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> };
function defined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined));
}

function normalHost(text: string): string {
  const reading = readHost(text);
  return reading.ok ? reading.host : text;
}

function normalGlob(text: string): string {
  const glob = compileGlob(text);
  return glob.ok ? glob.normal : text;
}

function normalPath(text: string): string {
  const glob = compilePathGlob(text);
  return glob.ok ? glob.normal : text;
}

/** `$HOME/…`, `$PROJECT/…` or `/…`. */
function normalShown(text: string): string {
  const reading = readShownPath(text);
  return reading.ok ? [ROOTS[reading.path.root], ...reading.path.names].join('/') || '/' : text;
}

/** From the project on. */
function normalHidden(text: string): string {
  const reading = readHiddenPath(text);
  return reading.ok ? reading.path.names.join('/') : text;
}

const ROOTS = { home: '$HOME', project: '$PROJECT', 'file system': '' } as const;

function sorted(list: readonly string[]): readonly string[] {
  return [...new Set(list)].toSorted(compareCodePoints);
}
