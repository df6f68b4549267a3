import { ancestors } from './identity.js';
import type { ProcessTable } from './table.js';

type Variables = readonly (readonly [name: string, value: string])[];

/**
 * The environments around this process: its own, which is given, those of its ancestors, and its session
 * leader's.
 */
export function environmentsAround(
  env: Readonly<NodeJS.ProcessEnv>,
  processes: ProcessTable,
): readonly Variables[] {
  const own = Object.entries(env).map(([name, value]) => [name, value ?? ''] as const);
  const session = processes.facts(process.pid)?.session ?? 0;
  const pids = [...ancestors().map(({ pid }) => pid), session].filter((pid) => pid > 0);
  return [own, ...pids.map((pid) => processes.environment(pid).map(parted))];
}

function parted(variable: string): readonly [string, string] {
  const at = variable.indexOf('=');
  return [variable.slice(0, Math.max(0, at)), variable.slice(at + 1)];
}
