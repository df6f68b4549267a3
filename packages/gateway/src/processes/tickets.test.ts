import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths, processIdentity, type HomePaths } from '@subluminal/ipc';
import { afterEach, expect, it } from 'vitest';
import { sweepTickets } from './tickets.js';

const homes: string[] = [];

function home(): HomePaths {
  const paths = homePaths(mkdtempSync(join(tmpdir(), 'sub-tk-')));
  homes.push(paths.home);
  mkdirSync(paths.ticketsDir, { recursive: true });
  return paths;
}

afterEach(() => {
  for (const one of homes.splice(0)) rmSync(one, { recursive: true, force: true });
});

it('removes the tickets of processes that are gone, and nothing else', () => {
  const paths = home();
  const self = processIdentity(process.pid);
  const at = (name: string): string => join(paths.ticketsDir, name);
  writeFileSync(join(paths.home, 'kept'), 'x');
  symlinkSync(join(paths.home, 'kept'), at('7-1'));
  for (const name of [`${self?.pid}-${self?.start}`, `${self?.pid}-1`, '1-1', 'note.txt', '1-1.txt'])
    writeFileSync(at(name), '{}');
  expect(sweepTickets(paths)).toBe(3);
  expect(
    [`${self?.pid}-${self?.start}`, `${self?.pid}-1`, '1-1', 'note.txt', '7-1'].map((name) =>
      existsSync(at(name)),
    ),
  ).toEqual([true, false, false, true, false]);
  expect(existsSync(join(paths.home, 'kept'))).toBe(true);
});

it('goes past what is no ticket, and comes back when the folder does', () => {
  const paths = home();
  mkdirSync(join(paths.ticketsDir, '1-1'));
  writeFileSync(join(paths.ticketsDir, '1-2'), '{}');
  expect(sweepTickets(paths)).toBe(1);
  rmSync(paths.ticketsDir, { recursive: true });
  expect(sweepTickets(paths)).toBe(0);
});
