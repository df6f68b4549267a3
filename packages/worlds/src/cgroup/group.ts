import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { WorldLimits } from '../limits.js';
import { hierarchies, type Hierarchy } from './hierarchies.js';

/** A limit that a control group holds exactly. */
export type GroupLimit = 'memory' | 'cpus' | 'processes';

/** The control group of a world, one folder for each tree that has a part of it. */
export interface WorldGroup {
  /** Each process of the world enters all of them before it becomes a program. */
  readonly folders: readonly string[];
  readonly holds: ReadonlySet<GroupLimit>;
  /** Processes that the kernel has ended because the memory of the group was used up. */
  ended(): number;
  /** Removes it once nothing runs in it; waits for that for a second. */
  remove(): Promise<void>;
}

/** Written into one group: a file of the kernel, and its value. */
interface Bound {
  readonly limit: GroupLimit;
  readonly controller: string;
  readonly v1: readonly (readonly [string, string])[];
  readonly v2: readonly (readonly [string, string])[];
}

const PREFIX = 'sub-world-';
/** With the number of the process that has started the world. */
const NAME = /^sub-world-(\d+)-/u;
const PERIOD_US = 100_000;
/** The kernel takes no less. */
const LEAST_QUOTA_US = 1000;
/** Bubblewrap, and the first process of the world. */
const OUR_PROCESSES = 2;
const REMOVE_MS = 1000;
const RETRY_MS = 10;

/**
 * Makes a control group for these limits, as far as this machine gives one; undefined where it holds none of
 * them. `name` is the world's. Removes groups that a crash has left.
 */
export function makeGroup(
  limits: WorldLimits,
  name: string,
  trees: readonly Hierarchy[] = hierarchies(),
): WorldGroup | undefined {
  const bounds = boundsOf(limits);
  if (bounds.length === 0) return undefined;
  const folders: string[] = [];
  const holds = new Set<GroupLimit>();
  for (const tree of trees) {
    const made = tree.version === 1 ? makeV1(tree, bounds, name) : makeV2(tree, bounds, name);
    if (made === undefined) continue;
    folders.push(made.folder);
    for (const limit of made.holds) holds.add(limit);
    sweep(dirname(made.folder));
  }
  if (holds.size === 0) return undefined;
  return {
    folders,
    holds,
    ended: () => Math.max(0, ...folders.map((folder) => endedIn(folder))),
    remove: async () => {
      for (
        let waited = 0;
        folders.some((folder) => !isRemoved(folder)) && waited < REMOVE_MS;
        waited += RETRY_MS
      )
        await setTimeout(RETRY_MS);
    },
  };
}

/** Nothing is bounded by a group unless memory or processors are: a limit of processes needs none. */
function boundsOf({ memoryBytes, cpus, processes }: WorldLimits): readonly Bound[] {
  if (memoryBytes === undefined && cpus === undefined) return [];
  const bounds: Bound[] = [];
  if (memoryBytes !== undefined) {
    const bytes = String(memoryBytes);
    bounds.push({
      limit: 'memory',
      controller: 'memory',
      v1: [
        ['memory.limit_in_bytes', bytes],
        ['memory.memsw.limit_in_bytes', bytes],
      ],
      v2: [
        ['memory.max', bytes],
        ['memory.swap.max', '0'],
      ],
    });
  }
  if (cpus !== undefined) {
    const quota = String(Math.max(LEAST_QUOTA_US, Math.round(cpus * PERIOD_US)));
    bounds.push({
      limit: 'cpus',
      controller: 'cpu',
      v1: [
        ['cpu.cfs_period_us', String(PERIOD_US)],
        ['cpu.cfs_quota_us', quota],
      ],
      v2: [['cpu.max', `${quota} ${PERIOD_US}`]],
    });
  }
  const most = [['pids.max', String(processes + OUR_PROCESSES)]] as const;
  return [...bounds, { limit: 'processes', controller: 'pids', v1: most, v2: most }];
}

interface Made {
  readonly folder: string;
  readonly holds: readonly GroupLimit[];
}

/** Below the group of this process, whose own bounds go on to hold. */
function makeV1(tree: Hierarchy, bounds: readonly Bound[], name: string): Made | undefined {
  const wanted = bounds.filter(({ controller }) => tree.controllers.includes(controller));
  return wanted.length === 0 ? undefined : makeIn(tree.own, wanted, 'v1', name);
}

/**
 * In the nearest group around this process that may have others in it and lets this user make them: one that
 * has processes of its own gives no controllers on.
 */
function makeV2(tree: Hierarchy, bounds: readonly Bound[], name: string): Made | undefined {
  for (let at = tree.own === tree.top ? tree.own : dirname(tree.own); ; at = dirname(at)) {
    const there = wordsOf(join(at, 'cgroup.controllers'));
    const wanted = bounds.filter(({ controller }) => there.includes(controller));
    if (wanted.length > 0 && mayMove(at)) {
      handOn(at, wanted);
      const handed = wordsOf(join(at, 'cgroup.subtree_control'));
      const made = makeIn(
        at,
        wanted.filter(({ controller }) => handed.includes(controller)),
        'v2',
        name,
      );
      if (made !== undefined) return made;
    }
    if (at === tree.top || at === dirname(at)) return undefined;
  }
}

/** Moving a process asks for the group around both. */
function mayMove(group: string): boolean {
  try {
    accessSync(join(group, 'cgroup.procs'), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function handOn(group: string, wanted: readonly Bound[]): void {
  const file = join(group, 'cgroup.subtree_control');
  for (const { controller } of wanted)
    if (!wordsOf(file).includes(controller)) written(file, `+${controller}`, 'a');
}

function makeIn(
  parent: string,
  wanted: readonly Bound[],
  version: 'v1' | 'v2',
  name: string,
): Made | undefined {
  if (wanted.length === 0) return undefined;
  const folder = join(parent, `${PREFIX}${process.pid}-${name}`);
  try {
    mkdirSync(folder);
  } catch {
    // It is not ours to make: the limits are kept otherwise, and told as approximate.
    return undefined;
  }
  const holds = wanted.filter((bound) =>
    bound[version].every(([file, value]) => isOptional(folder, file) || written(join(folder, file), value)),
  );
  if (holds.length > 0) return { folder, holds: holds.map(({ limit }) => limit) };
  isRemoved(folder);
  return undefined;
}

/** A kernel that counts no swap has no bound of it. */
function isOptional(folder: string, file: string): boolean {
  return (
    (file === 'memory.memsw.limit_in_bytes' || file === 'memory.swap.max') && !existsSync(join(folder, file))
  );
}

function written(path: string, value: string, flag: 'w' | 'a' = 'w'): boolean {
  try {
    writeFileSync(path, value, { flag });
    return true;
  } catch {
    return false;
  }
}

function wordsOf(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').trim().split(/\s+/u);
  } catch {
    return [];
  }
}

function endedIn(folder: string): number {
  for (const file of ['memory.events', 'memory.oom_control']) {
    const words = wordsOf(join(folder, file));
    const at = words.indexOf('oom_kill');
    if (at !== -1) return Number(words[at + 1]);
  }
  return 0;
}

/** The kernel keeps one in which something runs. */
function isRemoved(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

/** Removes what a starter has left that is gone. A group in which something still runs stays. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const [, starter] = NAME.exec(name) ?? [];
    if (starter !== undefined && !existsSync(`/proc/${starter}`)) isRemoved(join(parent, name));
  }
}
