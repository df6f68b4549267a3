import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PARTS } from './manifest.js';
import { runsProduct } from './runs-product.js';
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
const OFF = new Set(['skip', 'only', 'todo', 'fails']);
/** Run where the machine has what they need. */
const SOMETIMES = new Set(['skipIf', 'runIf']);
/** The folder whose tests are skipped where a client cannot be fetched. */
const REAL = 'tests/real/';
/** Skipped where no world can be made: there is nothing then of which it could be shown. */
const WORLDS = 'tests/worlds/';
const has = (tests: readonly IndexedTest[] = [], words: ReadonlySet<string>) =>
  tests.some((one) => one.modifiers.some((modifier) => words.has(modifier)));

/** Tests that read imports, docs and images, or that check a configuration in one process. */
const OF_TEXTS =
  /^(?:tests\/(?:boundary|build|ci\/container|cli\/docs)|packages\/\w+\/src\/config\/settings-doc)/u;

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

describe('a test file', () => {
  it.each([
    ['tests/requirements/live-run.test.ts', true],
    ['tests/shim/decisions.test.ts', true],
    ['tests/gateway/policy.test.ts', true],
    ['tests/contracts/vectors.test.ts', false],
    ['tests/requirements/ledger-queries.test.ts', false],
    ['packages/ledger/src/read/reader.test.ts', false],
  ])('is told by what it starts: %s', (file, runs) => {
    expect(files).toContain(file);
    expect(runsProduct(root, file)).toBe(runs);
  });
});

describe('the requirements', () => {
  it('are all there', () => {
    expect(Object.entries(PARTS).map(([part, list]) => [part, Object.keys(list).length])).toEqual([
      ['gateway isolation spec, exit criteria 1–13', 13],
      ['gateway isolation spec §1–§3', 23],
      ['gateway isolation spec §4–§10', 32],
      ['gateway isolation spec §11', 39],
      ['Interface Pack §0, §1', 19],
      ['Interface Pack §2–§5, §7', 25],
      ['Interface Pack, what it recommends, allows and plans', 39],
      ['Interface Pack §6', 8],
      ['engineering spec §1–§4', 26],
      ['engineering spec §5, §6', 15],
      ['engineering spec §7', 30],
      ['engineering spec §8–§10', 24],
      ['engineering spec §11–§15', 40],
      ['engineering spec §16, tracks A1, A2, C, H', 17],
      ['engineering spec §16, track D', 3],
      ['engineering spec §16, tracks B, E, F, G, I, §17, §18', 27],
      ['substrate spec, acceptance of worlds', 25],
      ['hook control plane, R1–R13, L1–L15', 29],
    ]);
  });

  it('have ids of their own', () => {
    const ids = requirements.map(([id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9.]+(-[a-z0-9.]+)+$/);
  });

  it.each(requirements)('%s cites tests that exist and run', (_, { tests }) => {
    const cited = tests.map(({ file, name }) => `${file} > ${name}`);
    expect(cited.filter((key) => !byKey.has(key))).toEqual([]);
    expect(cited.filter((key) => has(byKey.get(key), OFF))).toEqual([]);
    expect(new Set(cited).size).toBe(cited.length);
  });

  it.each(requirements.filter(([, { status }]) => status === 'shown'))(
    '%s is shown by a test that runs the product, and wherever the tests are run',
    (_, { tests }) => {
      const live = tests.filter(({ file }) => runsProduct(root, file) && !file.startsWith(REAL));
      const always = live.filter(
        ({ file, name }) => file.startsWith(WORLDS) || !has(byKey.get(`${file} > ${name}`), SOMETIMES),
      );
      expect(always).not.toEqual([]);
    },
  );

  it.each(requirements)('%s has what shows it, or a reason why nothing does', (_, requirement) => {
    switch (requirement.status) {
      case 'shown':
        return;
      case 'shown by texts':
        expect(requirement.tests.length + requirement.steps.length).toBeGreaterThan(0);
        for (const { file } of requirement.tests) expect(file).toMatch(OF_TEXTS);
        for (const step of requirement.steps)
          expect(steps).toMatch(new RegExp(`^section '${step}' \\S`, 'm'));
        return;
      case 'not yet':
      case 'argued':
        expect(requirement.because).toMatch(/^\S.{20,}[^.]$/u);
    }
  });
});
