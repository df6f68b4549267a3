import { ancestors } from './identity.js';
import type { ProcessTable } from './table.js';

type Variables = readonly (readonly [name: string, value: string])[];

/**
 * The environments around a process: its own, which is given, those of its ancestors, and its session
 * leader's.
 */
export function environmentsAround(
  env: Readonly<NodeJS.ProcessEnv>,
  processes: ProcessTable,
  pid: number,
): readonly Variables[] {
  const own = Object.entries(env).map(([name, value]) => [name, value ?? ''] as const);
  const session = processes.facts(pid)?.session ?? 0;
  const pids = [...ancestors(pid).map((one) => one.pid), session].filter((one) => one > 0);
  return [own, ...pids.map((one) => processes.environment(one).map(parted))];
}

/** A variable as `NAME=value`. */
export function parted(variable: string): readonly [string, string] {
  const at = variable.indexOf('=');
  return [variable.slice(0, Math.max(0, at)), variable.slice(at + 1)];
}
