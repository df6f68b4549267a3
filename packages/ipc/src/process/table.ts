import { readdirSync, readFileSync } from 'node:fs';
import { hasCode } from '../home/check.js';
import { factsOf, type ProcessFacts } from './identity.js';

/** The processes of the system. Systems other than Linux tell of no environment and no control group. */
export interface ProcessTable {
  facts(pid: number): ProcessFacts | undefined;
  /**
   * The variables that the program was started with, `NAME=value` each. Empty for a process that ended or
   * belongs to somebody else.
   */
  environment(pid: number): readonly string[];
  /** The control groups of a process, as one text; undefined where they cannot be told. */
  controlGroup(pid: number): string | undefined;
  pids(): readonly number[];
}

export const SYSTEM_PROCESSES: ProcessTable = {
  facts: factsOf,
  environment: (pid) => (readProc(pid, 'environ') ?? '').split('\0'),
  controlGroup: (pid) => readProc(pid, 'cgroup'),
  pids() {
    if (process.platform !== 'linux') return [];
    return readdirSync('/proc').flatMap((name) => (/^[1-9][0-9]{0,9}$/.test(name) ? [Number(name)] : []));
  },
};

/** Undefined when the process has ended meanwhile or belongs to somebody else. */
function readProc(pid: number, file: 'environ' | 'cgroup'): string | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}
