import { expect, it } from 'vitest';
import { keptReadings, readingsUnder } from './kept-readings.js';

const KEPT = {
  commands: [],
  hosts: [],
  paths: [],
  statements: [],
  place: { home: '/home/a', tmp: '/tmp', project: null },
  unread: { command: null, sql: null, path: null, host: null },
};
const KEYS = { paths: ['a', 'b'], commands: ['c'] };
const NONE = { paths: [], commands: [] };

it('kept objects count under a policy that names the same keys, in whichever order', () => {
  const kept = { ...KEPT, keys: { commands: ['c'], paths: ['b', 'a'] } };
  expect(readingsUnder(kept, KEYS)).toEqual(keptReadings(kept));
  expect(readingsUnder(KEPT, NONE)).toEqual(keptReadings(KEPT));
});

it('kept objects do not count under a policy that names other keys', () => {
  expect(readingsUnder(KEPT, KEYS)).toBeUndefined();
  expect(readingsUnder({ ...KEPT, keys: KEYS }, NONE)).toBeUndefined();
  expect(readingsUnder({ ...KEPT, keys: { ...KEYS, paths: ['a'] } }, KEYS)).toBeUndefined();
  const programs = { id: 'one', effects: new Map() };
  expect(
    readingsUnder({ ...KEPT, keys: { ...NONE, programs: 'two' } }, { ...NONE, programs }),
  ).toBeUndefined();
  expect(readingsUnder({ ...KEPT, keys: { ...NONE, programs: 'one' } }, { ...NONE, programs })).toBeDefined();
});
