import type { WorldGroup } from '../cgroup/group.js';
import { DEFAULT_PROCESSES, type WorldLimits } from '../limits.js';

/** By whom the limits of a world are kept. */
export interface WorldBounds {
  /** Of each process, from before the world on: `NAME=NUMBER`. */
  readonly resources: readonly string[];
  /** Folders of the control group. */
  readonly groups: readonly string[];
  /** Limits that the world's first process keeps, as `limits.pl` takes them; undefined for none. */
  readonly watched: string | undefined;
}

export type LimitName = 'memory' | 'cpus' | 'processes' | 'wall' | 'disk';

/**
 * How well the limits of a world hold: one that is looked after holds a little late, or for each process
 * alone.
 */
export interface Holds {
  readonly exact: readonly LimitName[];
  readonly approximate: readonly LimitName[];
}

/** A process that may use no whole processor steps back behind all that may. */
const NICE = 10;
/**
 * Programs ask for more than they use: a virtual machine of Java for half a gigabyte, bundlers for more. It
 * only keeps one process from taking the machine's memory between two looks.
 */
const DATA_ROOM = 1_073_741_824;

/** Says by whom each of the limits is kept. `home` is that of the world, which is memory. */
export function boundsOf(limits: WorldLimits, group: WorldGroup | undefined, home: string): WorldBounds {
  const { memoryBytes, cpus, processes, wallMs, diskBytes } = limits;
  const isWatched = memoryBytes !== undefined && group?.holds.has('memory') !== true;
  const words = [
    ...(isWatched
      ? [
          `memory=${memoryBytes}`,
          `data=${2 * memoryBytes + DATA_ROOM}`,
          ...(home.includes(',') ? [] : [`home=${home}`]),
        ]
      : []),
    ...(wallMs === undefined ? [] : [`wall=${wallMs}`]),
    // Inside, where nobody else's processes count; and with the first process, which is one of them.
    ...(processes < DEFAULT_PROCESSES ? [`processes=${processes + 1}`] : []),
    ...(cpus !== undefined && group?.holds.has('cpus') !== true ? [`nice=${NICE}`] : []),
  ];
  return {
    resources: [
      // No memory is dumped.
      'core=0',
      `nproc=${Math.max(DEFAULT_PROCESSES, processes)}`,
      ...(diskBytes === undefined ? [] : [`fsize=${diskBytes}`]),
    ],
    groups: group?.folders ?? [],
    watched: words.length === 0 ? undefined : words.join(','),
  };
}

/** Says how well each limit holds. */
export function holdsOf(limits: WorldLimits, group: WorldGroup | undefined): Holds {
  const { memoryBytes, cpus, wallMs, diskBytes } = limits;
  const set: readonly (readonly [LimitName, number | undefined, boolean])[] = [
    ['memory', memoryBytes, group?.holds.has('memory') === true],
    ['cpus', cpus, group?.holds.has('cpus') === true],
    ['processes', limits.processes, true],
    ['wall', wallMs, true],
    // The kernel bounds each file, and nobody all of them together.
    ['disk', diskBytes, false],
  ];
  const named = (isExact: boolean): LimitName[] =>
    set.flatMap(([name, most, holds]) => (most !== undefined && holds === isExact ? [name] : []));
  return { exact: named(true), approximate: named(false) };
}
