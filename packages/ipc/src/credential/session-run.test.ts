import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Ticket } from '@subluminal/core-types';
import { homePaths, type HomePaths } from '../home/paths.js';
import type { ProcessTable } from '../process/table.js';
import { findTicketOfSession } from './session-run.js';
import { writeTicket } from './ticket.js';

const ticket: Ticket = {
  v: 1,
  run_id: 'run-1',
  agent_id: 'agent',
  client: 'claude',
  env: 'dev',
  attested: true,
  credential: { v: 1, kind: 'run', id: 'run-1', epoch: 1, ledger_id: 'ledger', key: 'A'.repeat(43) },
};

/** `[pid, parent, session, start, control group]` of each process. */
type Line = readonly [pid: number, parent: number, session: number, start: number, controlGroup?: string];

function table(...lines: readonly Line[]): ProcessTable {
  const found = (pid: number): Line | undefined => lines.find(([one]) => one === pid);
  return {
    facts: (pid) => {
      const line = found(pid);
      if (line === undefined) return undefined;
      const [, parent, session, start] = line;
      return { identity: { pid, start: String(start) }, parent, group: session, session, name: 'x' };
    },
    environment: () => [],
    controlGroup: (pid) => {
      const line = found(pid);
      return line === undefined ? undefined : (line[4] ?? '0::/login');
    },
    pids: () => lines.map(([pid]) => pid),
  };
}

let root: string;
let paths: HomePaths;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'session-'));
  paths = homePaths(join(root, 'home'));
  mkdirSync(paths.home, { mode: 0o700 });
  writeTicket(paths, { pid: 200, start: '1000' }, ticket);
});
afterEach(() => rmSync(root, { recursive: true }));

/** A terminal of before the run (pid 100) in which the run is held (200) for an agent (300). */
const INIT: Line = [1, 0, 1, 0, '0::/init.scope'];
const RUN: readonly Line[] = [
  INIT,
  [100, 90, 100, 500],
  [90, 1, 90, 400],
  [200, 100, 100, 1000],
  [300, 200, 100, 1010],
];
const runOf = (pid: number, ...more: readonly Line[]) =>
  findTicketOfSession(paths, table(...RUN, ...more), pid)?.ticket.run_id;

describe('a process without parents is of the run that its session was created in', () => {
  test('where the leader of the session is gone', () => {
    // setsid sh -c '( ( sleep .3; env -i sub … ) & )'
    expect(runOf(402, [402, 1, 401, 1020])).toBe('run-1');
    expect(runOf(403, [402, 1, 401, 1020], [403, 402, 401, 1030])).toBe('run-1');
  });

  test('where the leader of the session is a process of the run', () => {
    expect(runOf(402, [401, 300, 401, 1015], [402, 1, 401, 1020])).toBe('run-1');
  });

  test('where it leads the session itself, and whoever adopted it is of another control group', () => {
    // setsid -f env -i sub …
    expect(runOf(402, [402, 1, 402, 1020])).toBe('run-1');
    expect(runOf(403, [402, 1, 402, 1020], [403, 402, 402, 1030])).toBe('run-1');
    expect(runOf(402, [402, 60, 402, 1020], [60, 1, 60, 10, '0::/user.slice/init.scope'])).toBe('run-1');
  });
});

describe('nothing is proved by', () => {
  test('a session that was there before the run: a shell, its jobs, and what they left behind', () => {
    expect(runOf(401, [401, 100, 100, 1020])).toBeUndefined();
    expect(runOf(401, [401, 1, 100, 1020])).toBeUndefined();
  });

  test('a session of before whose terminal was closed', () => {
    expect(runOf(402, [401, 1, 80, 600], [402, 1, 80, 1020])).toBeUndefined();
    expect(runOf(402, [401, 1, 80, 600], [402, 401, 80, 1020])).toBeUndefined();
  });

  test('a window of a multiplexer that was started before the run, or while it lives', () => {
    expect(runOf(402, [402, 401, 402, 1020], [401, 1, 401, 900])).toBeUndefined();
    expect(runOf(403, [403, 402, 402, 1030], [402, 401, 402, 1020], [401, 1, 401, 1015])).toBeUndefined();
  });

  test('a login over the network, or on another terminal', () => {
    expect(runOf(403, [403, 402, 402, 1030], [402, 401, 402, 1020], [401, 90, 401, 1015])).toBeUndefined();
    expect(runOf(402, [402, 1, 402, 1020, '0::/login-2'])).toBeUndefined();
    expect(runOf(403, [403, 1, 401, 1020, '0::/login-2'])).toBeUndefined();
  });

  test('a parent that made a session of its own and still lives', () => {
    expect(runOf(402, [402, 401, 401, 1030], [401, 100, 401, 1020])).toBeUndefined();
  });

  test('a program that the init of a container with one control group starts', () => {
    const holder: Line = [200, 1, 200, 1000, '0::/'];
    const all = table([1, 0, 1, 0, '0::/'], holder, [402, 1, 402, 1020, '0::/']);
    expect(findTicketOfSession(paths, all, 402)).toBeUndefined();
  });

  test('a session that was made outside of the container', () => {
    expect(runOf(402, [402, 0, 0, 1020])).toBeUndefined();
  });

  test('a run whose process is gone', () => {
    const all = table(INIT, [200, 100, 100, 1001], [402, 1, 401, 1020]);
    expect(findTicketOfSession(paths, all, 402)).toBeUndefined();
  });

  test('a system that tells of no sessions', () => {
    const all = { ...table(...RUN, [402, 1, 0, 0]), controlGroup: () => undefined };
    expect(findTicketOfSession(paths, all, 402)).toBeUndefined();
  });
});
