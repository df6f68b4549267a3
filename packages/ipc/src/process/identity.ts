import { readFileSync } from 'node:fs';
import { type ProcessIdentity, SublError } from '@subluminal/core-types';
import { hasCode } from '../home/check.js';

/**
 * Takes the place of a start time where the system does not tell one. The identity is then only as good as
 * the pid.
 */
const UNKNOWN_START = '0';

/** How far up a process's ancestors are followed. */
export const MAX_ANCESTORS = 64;

/** States in which a process runs no more code: zombie, dead. */
const GONE = new Set(['Z', 'X', 'x']);

/** A running process, as the system tells of it. */
export interface ProcessFacts {
  readonly identity: ProcessIdentity;
  readonly parent: number;
  readonly group: number;
  /** Its session, which is the pid of the process that made it; 0 where that one is of no number here. */
  readonly session: number;
  readonly name: string;
}

/**
 * The identity of a running process, or undefined when there is none; a zombie counts as gone. On Linux the
 * start time is that of `/proc/<pid>/stat`, in clock ticks since boot. Other systems tell it only through
 * another program, so `start` is `0` there and a reused pid is taken for the old process.
 */
export function processIdentity(pid: number): ProcessIdentity | undefined {
  return factsOf(pid)?.identity;
}

/** The identity of this process. Throws `failed` if the system does not tell it. */
export function ownIdentity(): ProcessIdentity {
  const me = processIdentity(process.pid);
  if (me === undefined) throw new SublError('failed', 'the system does not know this process');
  return me;
}

/** Tells whether that very process, and not a later one of its number, still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  return processIdentity(identity.pid)?.start === identity.start;
}

/**
 * The short name of a process (its file name, at most 15 bytes), or undefined when it is gone or cannot be
 * told.
 */
export function processName(pid: number): string | undefined {
  return factsOf(pid)?.name;
}

/**
 * The arguments that a process was started with; empty when it is gone, or where the system does not tell.
 */
export function commandLine(pid: number): readonly string[] {
  if (process.platform !== 'linux') return [];
  try {
    const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    return text.split('\0').slice(0, -1);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES')) return [];
    throw error;
  }
}

/**
 * The ancestors of a process, its parent first, at most 64. Where the system does not tell (other than
 * Linux), only the parent of this process is known.
 */
export function ancestors(pid: number = process.pid): ProcessIdentity[] {
  const found: ProcessIdentity[] = [];
  let parent = pid === process.pid ? process.ppid : factsOf(pid)?.parent;
  while (parent !== undefined && parent > 0 && found.length < MAX_ANCESTORS) {
    const facts = factsOf(parent);
    if (facts === undefined) break;
    found.push(facts.identity);
    parent = facts.parent;
  }
  return found;
}

/**
 * The facts of a process, undefined when it is gone. Session and group are 0 on systems that do not tell them
 * (other than Linux).
 */
export function factsOf(pid: number): ProcessFacts | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  return process.platform === 'linux' ? linuxFacts(pid) : portableFacts(pid);
}

function linuxFacts(pid: number): ProcessFacts | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    // ESRCH: the process ended between open and read.
    if (hasCode(error, 'ENOENT', 'ESRCH')) return undefined;
    throw error;
  }
  return parseStat(pid, line);
}

/**
 * Reads a line of `/proc/<pid>/stat`. The name stands in parentheses and may itself hold spaces and
 * parentheses, so the fields are counted from the last closing one (proc(5): state, ppid, …, starttime is
 * field 22).
 */
export function parseStat(pid: number, line: string): ProcessFacts | undefined {
  const open = line.indexOf('(');
  const close = line.lastIndexOf(')');
  const [state, parent, group, session, ...rest] = line.slice(close + 2).split(' ');
  const start = rest[15];
  if (
    open < 0 ||
    close < open ||
    state === undefined ||
    start === undefined ||
    !/^[0-9]{1,20}$/.test(start)
  ) {
    throw new TypeError(`/proc/${pid}/stat has an unknown form`);
  }
  if (GONE.has(state)) return undefined;
  return {
    identity: { pid, start },
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    name: line.slice(open + 1, close),
  };
}

function portableFacts(pid: number): ProcessFacts | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return undefined;
    // EPERM: it runs, under another user.
    if (!hasCode(error, 'EPERM')) throw error;
  }
  return {
    identity: { pid, start: UNKNOWN_START },
    parent: pid === process.pid ? process.ppid : 0,
    group: 0,
    session: 0,
    name: '',
  };
}
