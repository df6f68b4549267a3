import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { hasCode } from '../home/check.js';
import { factsOf, MAX_ANCESTORS, parseStat } from './identity.js';

/** The map of a process that is in no user namespace of its own: every user, as itself. */
const EVERY_USER = /^\s*0\s+0\s+4294967295\s*$/;

/**
 * Why it cannot be told which processes are above this one, undefined where it can: a namespace of this
 * process hides them. It is asked twice, since one of them may end meanwhile. Undefined on systems other than
 * Linux, which tell of the parent alone.
 */
export function ancestryDoubt(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return doubt() === undefined ? undefined : doubt();
}

function doubt(): string | undefined {
  if (!knowsItself()) return '`/proc` does not tell of this process';
  if (hasOtherTimes()) return 'this process is in a time namespace of its own';
  const isMapped = !EVERY_USER.test(textOf('/proc/self/uid_map') ?? '');
  for (let parent = process.ppid, steps = 0; parent > 0; steps += 1) {
    if (steps === MAX_ANCESTORS) return `more than ${MAX_ANCESTORS} processes are above this one`;
    const facts = factsOf(parent);
    // One of another user may be hidden from this one (`hidepid`); that user is not the agent.
    if (facts === undefined) return runs(parent) ? `\`/proc\` does not tell of process ${parent}` : undefined;
    if (isMapped && hidesEnvironment(parent)) return `process ${parent} hides its environment`;
    parent = facts.parent;
  }
  return undefined;
}

function knowsItself(): boolean {
  const line = textOf('/proc/self/stat');
  if (line === undefined || Number.parseInt(line, 10) !== process.pid) return false;
  return parseStat(process.pid, line)?.parent === process.ppid;
}

/** Processes are told apart by their start times, which are others in a time namespace. */
function hasOtherTimes(): boolean {
  const offsets = textOf('/proc/self/timens_offsets');
  // A kernel without time namespaces has no such file.
  if (offsets === undefined) return false;
  const numbers = offsets.match(/-?\d+/g) ?? [];
  if (numbers.length === 0 || numbers.some((number) => Number(number) !== 0)) return true;
  return readlinkSync('/proc/self/ns/time') !== readlinkSync('/proc/self/ns/time_for_children');
}

/** Tells whether a process of our user, in whose namespace this one is not, keeps its variables to itself. */
function hidesEnvironment(pid: number): boolean {
  try {
    readFileSync(`/proc/${pid}/environ`);
    return false;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return false;
    if (!hasCode(error, 'EACCES', 'EPERM')) throw error;
  }
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid === process.geteuid?.();
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH', 'EPERM')) return false;
    throw error;
  }
}

/** Undefined where there is no such file. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ESRCH')) return undefined;
    throw error;
  }
}
