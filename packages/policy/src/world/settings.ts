import type { Narrowing } from '../narrowing/narrowing.js';
import type { PolicySnapshot } from '../snapshot/snapshot.js';
import type { AskedWorld, FoundWorld } from './compiled.js';
import type { PlainWorldBudget } from './plain.js';
import { bytesOf } from './size.js';

/** The policy that says something of a world. */
export interface WorldSource {
  /** As people are told: the world profile of the policy, or its `world`. */
  readonly profile: string | undefined;
  readonly kind: 'home' | Narrowing['kind'];
}

/** Hosts that one policy leaves to a world. */
export interface WorldHosts extends WorldSource {
  readonly allowed: ReadonlySet<string>;
}

/** All settings of a world. An undefined one is as it is without a policy. */
export interface WorldSettings {
  /** The profile of the home's policy; undefined where none fits. */
  readonly profile: string | undefined;
  readonly limits: {
    readonly memoryBytes: number | undefined;
    readonly cpus: number | undefined;
    readonly processes: number | undefined;
    readonly wallMs: number | undefined;
    readonly diskBytes: number | undefined;
  };
  /** Whether more than one command may use the world. */
  readonly reuse: boolean;
  readonly fs: {
    /** Patterns of paths of which a person is asked before a change is taken over. */
    readonly ask: readonly string[];
    readonly hide: readonly string[];
    readonly read: readonly string[];
    readonly write: readonly string[];
  };
  /** Patterns of commands that have a layer of their own. */
  readonly isolated: readonly string[];
  /** Every list holds: a host that one of them lacks is refused. */
  readonly hosts: readonly WorldHosts[];
  readonly budget: {
    readonly bytesPerSecond: number | undefined;
    readonly totalBytes: number | undefined;
  };
}

/**
 * The settings of a world: those of the home's policy, narrowed by the others, which take away only. Of two
 * limits the lower one holds, of two lists of hosts both, files that are hidden or asked about and isolated
 * commands add up, and what another policy would show stays hidden.
 */
export function worldSettings(
  home: PolicySnapshot,
  others: readonly Narrowing[],
  asked: AskedWorld,
): WorldSettings {
  const own = foundIn(home, asked);
  const all = [
    { kind: 'home' as const, ...own },
    ...others.map(({ kind, snapshot }) => ({ kind, ...foundIn(snapshot, asked) })),
  ];
  const limits = all.flatMap(({ settings }) => settings.limits ?? []);
  const size = (key: 'memory' | 'disk') =>
    least(limits.map(({ [key]: one }) => (one === undefined ? undefined : bytesOf(one))));
  const budget = (key: keyof PlainWorldBudget) =>
    least(all.map(({ settings }) => settings.egress_budget?.[key]));
  return {
    profile: own.profile,
    limits: {
      memoryBytes: size('memory'),
      cpus: least(limits.map(({ cpu }) => (cpu === undefined ? undefined : Number(cpu)))),
      processes: least(limits.map(({ processes }) => processes)),
      wallMs: least(limits.map(({ wall_ms: wallMs }) => wallMs)),
      diskBytes: size('disk'),
    },
    reuse: all.every(({ settings }) => settings.reuse !== false),
    fs: {
      ask: united(all.map(({ settings }) => settings.fs?.ask)),
      hide: united(all.map(({ settings }) => settings.fs?.hide)),
      read: own.settings.fs?.read ?? [],
      write: own.settings.fs?.write ?? [],
    },
    isolated: united(all.map(({ settings }) => settings.commands?.isolated)),
    hosts: all.flatMap(({ kind, profile, settings }) =>
      settings.net === undefined ? [] : [{ kind, profile, allowed: new Set(settings.net.allowed) }],
    ),
    budget: { bytesPerSecond: budget('bytes_per_sec'), totalBytes: budget('total_bytes') },
  };
}

/** How people are told of the part of a policy that a world goes by. */
export function worldSourceText({ kind, profile }: WorldSource): string {
  const of = { home: 'the policy', run: 'the policy of the run', project: 'the policy of the project' }[kind];
  return profile === undefined ? `\`world\` of ${of}` : `the world profile \`${profile}\` of ${of}`;
}

const NOTHING: FoundWorld = { profile: undefined, settings: {} };

function foundIn({ world }: PolicySnapshot, asked: AskedWorld): FoundWorld {
  return world?.find(asked) ?? NOTHING;
}

function united(lists: readonly (readonly string[] | undefined)[]): readonly string[] {
  return [...new Set(lists.flatMap((list) => list ?? []))];
}

function least(all: readonly (number | undefined)[]): number | undefined {
  const known = all.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
