import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { REPOSITORY } from './planted-tree.js';
import { type WalkedFile, walkSources } from './source-walk.js';

interface Row {
  readonly name: string;
  readonly packages: readonly string[];
  readonly npm: readonly string[];
  readonly node: readonly string[];
  readonly only?: Readonly<Record<string, readonly string[]>>;
  readonly processes?: readonly string[];
  readonly network?: readonly string[];
  readonly computed?: readonly string[];
}

const table: { rows: Row[] } = JSON.parse(readFileSync(join(REPOSITORY, 'boundary.json'), 'utf8'));
const everything = walkSources(REPOSITORY, '');

/** The packages in dependency order, and the most that each may ever import of the others. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'core-types': [],
  readings: ['core-types'],
  policy: ['core-types', 'readings'],
  ipc: ['core-types'],
  ledger: ['core-types'],
  records: ['core-types', 'ledger', 'policy', 'readings'],
  agent: ['core-types', 'ipc'],
  mcp: ['agent', 'core-types', 'ipc'],
  hooks: ['agent', 'core-types'],
  plane: ['core-types'],
  egress: ['core-types'],
  gateway: ['core-types', 'egress', 'ipc', 'ledger', 'policy', 'readings'],
  anomaly: ['core-types', 'egress', 'gateway'],
  approvals: ['core-types', 'gateway', 'ledger'],
  net: ['core-types', 'egress', 'gateway', 'ledger'],
  projects: ['core-types', 'gateway', 'ledger', 'policy', 'readings'],
  anchors: ['core-types', 'egress', 'gateway', 'ledger'],
  notify: ['core-types', 'gateway'],
  tools: ['core-types', 'gateway', 'ledger', 'policy'],
  away: ['core-types', 'gateway', 'ipc', 'ledger', 'policy'],
  services: ['core-types', 'egress', 'gateway', 'ledger'],
  proxy: ['core-types', 'egress', 'gateway'],
  remote: ['agent', 'core-types', 'egress', 'gateway', 'ipc', 'mcp'],
  'hooks-door': ['agent', 'core-types', 'gateway', 'hooks', 'ipc'],
  'plane-wing': ['core-types', 'gateway', 'ledger', 'plane', 'records'],
  ui: ['core-types', 'gateway', 'ledger', 'plane', 'policy', 'readings', 'records'],
  'worlds-net': ['core-types', 'gateway', 'ipc', 'policy'],
  witness: ['core-types', 'gateway', 'ipc', 'ledger'],
  daemon: [
    'anchors',
    'anomaly',
    'approvals',
    'away',
    'core-types',
    'egress',
    'gateway',
    'hooks-door',
    'ipc',
    'ledger',
    'mcp',
    'net',
    'notify',
    'plane-wing',
    'policy',
    'projects',
    'proxy',
    'remote',
    'services',
    'tools',
    'ui',
    'worlds-net',
  ],
  worlds: ['core-types', 'readings'],
  layers: ['core-types', 'ipc'],
  shim: ['agent', 'core-types', 'ipc', 'mcp', 'policy', 'worlds'],
  cli: [
    'agent',
    'core-types',
    'hooks',
    'ipc',
    'layers',
    'ledger',
    'plane',
    'policy',
    'readings',
    'records',
    'shim',
    'worlds',
  ],
};

/** Built-ins that reach the network, and the packages whose rows may name them. */
const NETWORK_BUILTINS: Readonly<Record<string, readonly string[]>> = {
  net: ['daemon', 'egress', 'gateway', 'hooks-door', 'ipc', 'proxy', 'remote', 'ui', 'witness', 'worlds-net'],
  dns: ['egress'],
  http: ['hooks-door', 'proxy', 'remote', 'ui', 'witness'],
  https: [],
  tls: ['egress', 'proxy'],
  http2: [],
  dgram: ['worlds-net'],
  inspector: [],
  cluster: [],
  wasi: [],
  repl: [],
};

function row(name: string): Row {
  const found = table.rows.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`boundary.json has no row ${name}`);
  return found;
}

function shipped(name: string): WalkedFile[] {
  return everything.filter(
    ({ path }) => path.startsWith(`packages/${name}/src/`) && !path.endsWith('.test.ts'),
  );
}

function used(files: readonly WalkedFile[]): { packages: string[]; npm: string[]; node: string[] } {
  const outside = new Set(
    files.flatMap(({ specifiers }) => specifiers.filter((specifier) => !specifier.startsWith('.'))),
  );
  const named = [...outside].toSorted();
  const distinct = (names: readonly string[]): string[] => [...new Set(names)].toSorted();
  return {
    packages: distinct(
      named
        .filter((s) => s.startsWith('@subluminal/'))
        .map((s) => s.slice('@subluminal/'.length).split('/', 1)[0] ?? s),
    ),
    node: distinct(
      named.filter((s) => s.startsWith('node:')).map((s) => s.slice('node:'.length).split('/')[0] ?? ''),
    ),
    npm: distinct(
      named
        .filter((s) => !s.startsWith('@subluminal/') && !s.startsWith('node:'))
        .map((s) =>
          s
            .split('/')
            .slice(0, s.startsWith('@') ? 2 : 1)
            .join('/'),
        ),
    ),
  };
}

describe('the walk', () => {
  test('finds the sources of every package, the tests and the scripts', () => {
    for (const name of Object.keys(PACKAGES)) expect(shipped(name).length, name).toBeGreaterThan(0);
    const paths = everything.map(({ path }) => path);
    expect(paths).toContain('packages/core-types/src/errors/codes.ts');
    expect(paths).toContain('packages/ipc/src/index.ts');
    expect(paths).toContain('scripts/boundary/lint-plugin.mjs');
    expect(paths).toContain('tests/boundary/table.test.ts');
    expect(everything.flatMap(({ specifiers }) => specifiers).length).toBeGreaterThan(100);
  });
});

describe.each(Object.keys(PACKAGES))('row %s', (name) => {
  test('names exactly what the sources import', () => {
    const { packages, npm, node } = row(name);
    expect(used(shipped(name))).toEqual({
      packages: [...packages].toSorted(),
      npm: [...npm].toSorted(),
      node: [...node].toSorted(),
    });
  });

  test('stays below it in dependency order', () => {
    for (const imported of row(name).packages) expect(PACKAGES[name]).toContain(imported);
  });

  test('agrees with the dependencies of its package.json', () => {
    const manifest = JSON.parse(readFileSync(join(REPOSITORY, 'packages', name, 'package.json'), 'utf8'));
    const declared = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).toSorted();
    const { packages, npm } = row(name);
    expect(declared).toEqual([...packages.map((found) => `@subluminal/${found}`), ...npm].toSorted());
  });

  test('names a network built-in only where the design lets it', () => {
    for (const builtin of row(name).node) expect(NETWORK_BUILTINS[builtin] ?? [name]).toContain(name);
  });

  test('lets no file name a network global or compute an import', () => {
    expect(row(name).network ?? []).toEqual([]);
    expect(row(name).computed ?? []).toEqual([]);
  });
});

describe('the narrow columns', () => {
  test('the socket module is imported by one file of ipc, by egress, and by the listeners of the gateway', () => {
    const importers = everything
      .filter(({ path }) => path.startsWith('packages/') && !path.endsWith('.test.ts'))
      .filter(({ loaded }) => loaded.some((s) => /^(?:node:)?net$/.test(s)))
      .map(({ path }) => path);
    expect(importers.filter((path) => path.startsWith('packages/ipc/'))).toEqual([
      'packages/ipc/src/connect.ts',
    ]);
    for (const path of importers.filter((found) => !found.startsWith('packages/ipc/'))) {
      expect(path).toMatch(
        /^packages\/(?:egress\/src\/|gateway\/src\/sessions\/|proxy\/src\/door\.ts$|worlds-net\/src\/(?:named\/door|namespaces\/doors)\.ts$)/,
      );
    }
  });

  test('files that start processes are listed one by one and all do', () => {
    for (const name of Object.keys(PACKAGES)) {
      for (const path of row(name).processes ?? []) {
        expect(path).not.toContain('*');
        expect(existsSync(join(REPOSITORY, path)), path).toBe(true);
      }
      const starters = shipped(name)
        .filter(({ loaded }) => loaded.some((s) => /^(?:node:)?(?:child_process|worker_threads)$/.test(s)))
        .map(({ path }) => path);
      for (const path of row(name).processes ?? []) expect(starters).toContain(path);
    }
  });
});

describe('exceptions', () => {
  test('no comment anywhere switches a rule off', () => {
    const marker = new RegExp(['eslint', 'oxlint'].map((tool) => `${tool}-(?:disable|enable)`).join('|'));
    const found = everything.filter(({ comments }) => comments.some((comment) => marker.test(comment)));
    expect(found.map(({ path }) => path)).toEqual([]);
  });

  test('no import in the packages is computed', () => {
    const found = everything.filter(
      ({ path, specifiers }) => path.startsWith('packages/') && specifiers.includes('<computed>'),
    );
    expect(found.map(({ path }) => path)).toEqual([]);
  });
});
