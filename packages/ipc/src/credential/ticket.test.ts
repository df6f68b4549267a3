import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Credential, Ticket } from '@subluminal/core-types';
import { homePaths, type HomePaths } from '../home/paths.js';
import { ancestors, processIdentity } from '../process/identity.js';
import { readCredential } from './key-file.js';
import { findTicket, readTicket, removeTicket, ticketPath, writeTicket } from './ticket.js';

const credential: Credential = {
  v: 1,
  kind: 'run',
  id: 'run-1',
  epoch: 1,
  ledger_id: 'ledger',
  key: 'A'.repeat(43),
};
const ticket: Ticket = {
  v: 1,
  run_id: 'run-1',
  agent_id: 'agent',
  client: 'claude',
  env: 'dev',
  attested: false,
  credential,
};
const me = processIdentity(process.pid) ?? { pid: 0, start: '0' };
const parent = ancestors()[0] ?? { pid: 0, start: '0' };

let root: string;
let paths: HomePaths;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ticket-'));
  paths = homePaths(join(root, 'home'));
  mkdirSync(paths.home, { mode: 0o700 });
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a ticket', () => {
  test('is read as it was written, and is private', () => {
    expect(writeTicket(paths, me, ticket)).toBe(true);
    expect(readTicket(paths, me)).toEqual(ticket);
    expect(statSync(ticketPath(paths, me)).mode & 0o777).toBe(0o600);
    expect(statSync(paths.ticketsDir).mode & 0o777).toBe(0o700);
    expect(readdirSync(paths.ticketsDir)).toEqual([`${me.pid}-${me.start}`]);
  });

  test('stands once it is written: a second writer is told so', () => {
    expect(writeTicket(paths, me, ticket)).toBe(true);
    const other = { ...ticket, run_id: 'run-2', credential: { ...credential, id: 'run-2' } };
    expect(writeTicket(paths, me, other)).toBe(false);
    expect(readTicket(paths, me)).toEqual(ticket);
    expect(readdirSync(paths.ticketsDir)).toHaveLength(1);
  });

  test('of an earlier process with the same number is not found', () => {
    writeTicket(paths, { ...me, start: '1' }, ticket);
    expect(readTicket(paths, me)).toBeUndefined();
  });

  test('can be removed, also twice', () => {
    writeTicket(paths, me, ticket);
    removeTicket(paths, me);
    removeTicket(paths, me);
    expect(readTicket(paths, me)).toBeUndefined();
  });

  test('is not written where there is no home', () => {
    rmSync(paths.home, { recursive: true });
    expect(() => writeTicket(paths, me, ticket)).toThrow(expect.objectContaining({ code: 'home_missing' }));
    expect(readdirSync(root)).toEqual([]);
  });

  test.each([
    ['no json', 'x'],
    ['another version', JSON.stringify({ ...ticket, v: 2 })],
    ['the key of another run', JSON.stringify({ ...ticket, run_id: 'run-2' })],
    ['an operator key', JSON.stringify({ ...ticket, credential: { ...credential, kind: 'operator' } })],
    ['a key twice', JSON.stringify(ticket).replace('"v":1', '"v":1,"v":1')],
  ])('with %s is refused', (_name, text) => {
    writeTicket(paths, me, ticket);
    writeFileSync(ticketPath(paths, me), text);
    expect(() => readTicket(paths, me)).toThrow(expect.objectContaining({ code: 'key_missing' }));
  });
});

describe('the ticket of the nearest ancestor', () => {
  test('is found, and not that of the process itself', () => {
    expect(findTicket(paths)).toBeUndefined();
    writeTicket(paths, me, ticket);
    expect(findTicket(paths)).toBeUndefined();
    const line = ancestors();
    const far = line.at(-1);
    if (far === undefined || line.length < 2) throw new Error('this test needs two ancestors');
    writeTicket(paths, far, { ...ticket, agent_id: 'far' });
    expect(findTicket(paths)).toEqual({ holder: far, ticket: { ...ticket, agent_id: 'far' } });
    writeTicket(paths, parent, ticket);
    expect(findTicket(paths)).toEqual({ holder: parent, ticket });
  });

  test('that cannot be trusted is not skipped', () => {
    writeTicket(paths, parent, ticket);
    chmodSync(ticketPath(paths, parent), 0o644);
    expect(() => findTicket(paths)).toThrow(expect.objectContaining({ code: 'home_unsafe' }));
  });
});

describe('a key file', () => {
  const write = (value: unknown, mode = 0o600): string => {
    mkdirSync(paths.keysDir, { recursive: true, mode: 0o700 });
    writeFileSync(paths.operatorKey, JSON.stringify(value), { mode });
    return paths.operatorKey;
  };
  const operator: Credential = { ...credential, kind: 'operator', id: 'operator' };

  test('is read', () => {
    expect(readCredential(write(operator))).toEqual(operator);
  });

  test('that is missing or holds no key is told so', () => {
    expect(() => readCredential(paths.operatorKey)).toThrow(expect.objectContaining({ code: 'key_missing' }));
    for (const value of [
      null,
      [],
      {},
      { ...operator, key: 'short' },
      { ...operator, epoch: 0 },
      { ...operator, kind: 'root' },
    ]) {
      expect(() => readCredential(write(value))).toThrow(expect.objectContaining({ code: 'key_missing' }));
    }
  });

  test('that others can read or that is no plain file is unsafe', () => {
    const path = write(operator);
    chmodSync(path, 0o640);
    expect(() => readCredential(path)).toThrow(expect.objectContaining({ code: 'home_unsafe' }));
    chmodSync(path, 0o600);
    renameSync(path, `${path}-real`);
    symlinkSync(`${path}-real`, path);
    expect(() => readCredential(path)).toThrow(expect.objectContaining({ code: 'home_unsafe' }));
    rmSync(path);
    mkdirSync(path);
    expect(() => readCredential(path)).toThrow(expect.objectContaining({ code: 'home_unsafe' }));
    rmSync(path, { recursive: true });
    linkSync(`${path}-real`, path);
    expect(readCredential(path)).toEqual(operator);
  });

  test('that is too large is unsafe', () => {
    expect(() => readCredential(write({ ...operator, more: 'x'.repeat(20_000) }))).toThrow(
      expect.objectContaining({ code: 'home_unsafe' }),
    );
  });
});
