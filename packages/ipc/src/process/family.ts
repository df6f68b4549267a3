import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessIdentity } from '@subluminal/core-types';
import { hasCode } from '../home/check.js';
import { parseStat } from './identity.js';

/** The variable by which everything that an MCP server starts can be told. */
export const UPSTREAM_TOKEN_VARIABLE = 'SUB_UPSTREAM_TOKEN';

/** The token of what a server of a run starts: it names the run, and is that of no other server. */
export function upstreamToken(runId: string, random: Uint8Array): string {
  return `${runId}_${Buffer.from(random).toString('base64url')}`;
}

/** The bonds between processes: a process group, and the token that they inherited in their environment. */
export interface Family {
  readonly group?: number | undefined;
  readonly token: string;
}

/**
 * The running processes of a family, without this one. A process that left its group still carries the token;
 * one that overwrote its own environment is found by its group alone. Linux only: elsewhere the list is
 * empty.
 */
export function familyOf(family: Family): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const mark = `${UPSTREAM_TOKEN_VARIABLE}=${family.token}\0`;
  const found: ProcessIdentity[] = [];
  for (const entry of readdirSync('/proc')) {
    if (!/^[1-9][0-9]*$/.test(entry) || entry === String(process.pid)) continue;
    const stat = readProc(entry, 'stat');
    const facts = stat === undefined ? undefined : parseStat(Number(entry), stat);
    if (facts === undefined) continue;
    if (facts.group === family.group || readProc(entry, 'environ')?.includes(mark) === true)
      found.push(facts.identity);
  }
  return found;
}

/** Undefined when the process has ended meanwhile or belongs to somebody else. */
function readProc(pid: string, file: 'stat' | 'environ'): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined;
    throw error;
  }
}
