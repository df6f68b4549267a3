import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PARTS } from './manifest.js';
import { indexTests, testFiles, testsIn, type IndexedTest } from './test-index.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const files = ['packages', 'tests'].flatMap((folder) => testFiles(root, folder));
const index = files.flatMap((file) => indexTests(root, file));
const byKey = new Map<string, IndexedTest[]>();
for (const one of index) {
  const key = `${one.file} > ${one.name}`;
  byKey.set(key, [...(byKey.get(key) ?? []), one]);
}
const steps = readFileSync(join(root, '.ci/run'), 'utf8');
const requirements = Object.values(PARTS).flatMap((part) => Object.entries(part));

/** Never run, or run in the place of others. */
const OFF = new Set(['skip', 'only', 'todo', 'fails', 'skipIf', 'runIf']);
const isOff = (one: IndexedTest) => one.modifiers.some((modifier) => OFF.has(modifier));

describe('the index of tests', () => {
  it('finds the tests of every package', () => {
    expect(files.length).toBeGreaterThan(60);
    expect(index.length).toBeGreaterThan(500);
    for (const name of ['cli', 'core-types', 'gateway', 'ledger', 'mcp', 'policy', 'shim'])
      expect(index.some((one) => one.file.startsWith(`packages/${name}/`))).toBe(true);
  });

  it('reads nested titles, tables and what is switched off', () => {
    const text = `
      describe('a', () => {
        it('plain', () => {});
        describe.skip('b', () => { it.each([[1]])('of %d', () => {}); });
        test.each\`x\`('template', () => {});
        for (const n of [1]) it(\`number \${n}\`, () => {});
        it.todo('later');
        it.skipIf(true)('sometimes', () => {});
      });
      describe.each(['x'])('each %s', () => { test.only('inner', () => {}); });
      notATest('it', () => { it('inside a helper', () => {}); });
    `;
    expect(testsIn('a.test.ts', text).map((one) => [one.name, one.modifiers.join(' ')])).toEqual([
      ['a > plain', ''],
      ['a > b > of %d', 'skip each'],
      ['a > template', 'each'],
      ['a > number ${n}', ''],
      ['a > later', 'todo'],
      ['a > sometimes', 'skipIf'],
      ['each %s > inner', 'each only'],
      ['inside a helper', ''],
    ]);
  });

  it('finds no test that keeps others from running, and none that is left for later', () => {
    const kept = index.filter((one) => one.modifiers.some((word) => ['only', 'todo', 'skip'].includes(word)));
    expect(kept).toEqual([]);
  });
});

describe('the requirements', () => {
  it('are all there', () => {
    expect(Object.entries(PARTS).map(([part, list]) => [part, Object.keys(list).length])).toEqual([
      ['gateway isolation spec, exit criteria 1–13', 13],
      ['gateway isolation spec §11', 39],
      ['Interface Pack §0, §1', 19],
      ['Interface Pack §2–§5, §7', 25],
      ['Interface Pack §6', 8],
      ['engineering spec §16, tracks A1, A2, C, H', 17],
      ['engineering spec §16, track D', 3],
    ]);
  });

  it('have ids of their own', () => {
    const ids = requirements.map(([id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9.]+(-[a-z0-9.]+)+$/);
  });

  it.each(requirements)('%s is shown by tests that exist and run', (_, { tests, commands = [] }) => {
    expect(tests.length + commands.length).toBeGreaterThan(0);
    const cited = tests.map(({ file, name }) => `${file} > ${name}`);
    expect(cited.filter((key) => !byKey.has(key))).toEqual([]);
    expect(cited.filter((key) => byKey.get(key)?.some(isOff))).toEqual([]);
    expect(new Set(cited).size).toBe(cited.length);
    for (const title of commands) expect(steps).toMatch(new RegExp(`^section '${title}' \\S`, 'm'));
  });
});
