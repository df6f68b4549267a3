import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { circles, floors } from '../../scripts/map/graph.mjs';
import { readTree } from '../../scripts/map/tree.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const tree = readTree(ROOT);

/** The files that a folder may hold, and the folders that hold more, each with why. */
const MOST = 15;
const LARGER: Readonly<Record<string, string>> = {
  'packages/cli/src/verbs': 'a noun or a verb a file: the command line itself',
  'packages/core-types/src/redact': 'one form of credential a file',
  'packages/core-types/src/schema': 'one contract a file',
  'packages/core-types/src/schema/payloads': 'the payloads of one noun a file',
  'packages/egress/src': 'a package of one noun: outgoing sockets',
  'packages/gateway/src/pipeline': 'one stage a file',
  'packages/gateway/src/runs': 'everything that a run is, and all that closes it',
  'packages/ipc/src/client': 'one part of a connection a file',
  'packages/ledger/src/read': 'one question to the ledger a file',
  'packages/ledger/src/verify': 'one check a file',
  'packages/mcp/src/adapter': 'one concern of the adapter a file',
  'packages/policy/src/lint': 'one kind of mistake a file',
};

/** A security engineer reads all that decides a call: a subsystem beside it is a wing. */
const CORE = 14_000;

describe('the house', () => {
  it('has no files that import each other in a circle, types included', () => {
    expect(circles(tree.files.imports)).toEqual([]);
  });

  it('has no packages, and no folders of the core, that do', () => {
    expect([circles(tree.packages.imports), circles(tree.core.imports)]).toEqual([[], []]);
  });

  it(`has no folder of more than ${MOST} files without a reason, and no reason without such a folder`, () => {
    const larger = [...tree.folders].filter(([, count]) => count > MOST).map(([folder]) => folder);
    expect(larger.toSorted()).toEqual(Object.keys(LARGER).toSorted());
  });

  it(`has a core of at most ${CORE.toLocaleString('en')} lines`, () => {
    expect(tree.packages.lines.get('gateway')).toBeLessThanOrEqual(CORE);
  });

  it('lets the daemon alone import a wing', () => {
    for (const wing of [
      'anchors',
      'anomaly',
      'approvals',
      'away',
      'net',
      'notify',
      'plane-wing',
      'projects',
      'proxy',
      'remote',
      'services',
      'tools',
      'ui',
    ]) {
      const importers = [...tree.packages.imports]
        .filter(([, others]) => others.has(wing))
        .map(([name]) => name);
      expect(importers).toEqual(['daemon']);
    }
  });

  it('is drawn in ARCHITECTURE.md as it is', () => {
    expect(() => execFileSync(process.execPath, ['scripts/map.mjs', '--check'], { cwd: ROOT })).not.toThrow();
  });
});

describe('circles and floors', () => {
  const graph = (
    edges: Readonly<Record<string, readonly string[]>>,
  ): ReadonlyMap<string, ReadonlySet<string>> =>
    new Map(Object.entries(edges).map(([name, others]) => [name, new Set(others)]));

  it('finds each circle, also one within what another leads to', () => {
    const found = circles(graph({ a: ['b'], b: ['c'], c: ['b', 'd'], d: ['e'], e: ['d'], f: ['f', 'a'] }));
    expect(found.map((circle) => circle.toSorted())).toEqual([
      ['d', 'e'],
      ['b', 'c'],
    ]);
  });

  it('puts each room one floor above the highest that it imports from', () => {
    expect([...floors(graph({ a: ['b', 'c'], b: ['c'], c: [], d: [] }))]).toEqual([
      [0, ['c', 'd']],
      [1, ['b']],
      [2, ['a']],
    ]);
  });

  it('names under `tests/slow.json` only tests that are there, each once', () => {
    const slow: readonly string[] = JSON.parse(readFileSync(`${ROOT}/tests/slow.json`, 'utf8'));
    expect(new Set(slow).size).toBe(slow.length);
    expect(slow.filter((path) => !path.endsWith('.test.ts') || !existsSync(`${ROOT}/${path}`))).toEqual([]);
  });
});
