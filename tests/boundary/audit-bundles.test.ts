import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { type AuditCheck, audit, found } from './audit.js';
import { REPOSITORY, plantTree } from './planted-tree.js';

/** A command line as `tsc` leaves it: an entry that loads one of two verbs, and the door. */
const COMPILED = {
  'packages/cli/dist/main.js':
    "import './common.js';\nawait import('./verbs/shim/stdio.js');\nawait import('./verbs/show.js');\n",
  'packages/cli/dist/common.js': "console.log('common');\n",
  'packages/cli/dist/verbs/show.js': "import '../../../ledger/dist/index.js';\n",
  'packages/ledger/dist/index.js': "import sqlite from 'better-sqlite3';\nconsole.log(sqlite);\n",
  'packages/cli/dist/verbs/shim/stdio.js':
    "import '../../../../ipc/dist/connect.js';\nconsole.log('shim');\n",
  'packages/shim/dist/away/engine.js': "console.log('alone');\n",
  'packages/ipc/dist/connect.js': "import { connect } from 'node:net';\nconnect({ path: '/x' });\n",
} as const;

/** Bundles the compiled files with the project's own build and audits what came out. */
function auditBundle(changed: Readonly<Record<string, string>>): {
  readonly exit: number | null;
  readonly lines: readonly string[];
  readonly checks: readonly AuditCheck[];
} {
  const tree = plantTree({ ...COMPILED, ...changed });
  try {
    const code = `import { bundles, writeBundle } from '${REPOSITORY}/scripts/build/bundles.mjs';
      const root = ${JSON.stringify(tree.root)};
      const wanted = bundles(root).filter(({ name }) => name !== 'gateway');
      for (const bundle of wanted) await writeBundle(root, bundle);`;
    const built = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    expect(built.status, built.stderr).toBe(0);
    const result = audit(tree.root, ['bundles']);
    return { exit: result.exit, lines: found(result), checks: result.checks };
  } finally {
    tree.remove();
  }
}

describe('the audit of the bundles', () => {
  test('passes a command line whose only socket is the door', () => {
    const { exit, lines, checks } = auditBundle({});
    expect(lines).toEqual([]);
    expect(checks.map(({ subject, status }) => [subject, status])).toEqual([
      ['cli', 'ok'],
      ['shim', 'ok'],
      ['shim alone', 'ok'],
    ]);
    expect(exit).toBe(0);
  });

  test.each([
    [
      'a network built-in',
      "import { get } from 'node:https';\nget('https://a.example');\n",
      'import of https',
    ],
    ['a second use of the socket module', "import net from 'node:net';\nnet.connect(80);\n", 'does not hold'],
    ['fetch', "await fetch('https://a.example');\n", 'network: fetch'],
    ['a computed import', 'export const m = await import(process.argv[2]);\n', 'computed dynamic import'],
    ['process.binding', "process.binding('tcp_wrap');\n", 'native: .binding()'],
  ])('finds %s', (_, code, what) => {
    const { exit, lines } = auditBundle({ 'packages/cli/dist/common.js': code });
    expect(lines.join('\n')).toContain(what);
    expect(exit).toBe(1);
  });

  test('finds a door that opens something else than a path', () => {
    const door = "import { connect } from 'node:net';\nconnect({ port: 80 });\n";
    const { lines } = auditBundle({ 'packages/ipc/dist/connect.js': door });
    expect(lines).toHaveLength(2);
    for (const line of lines)
      expect(line).toContain('uses node:net for something else than connect({ path })');
  });

  test('finds the gateway inside the command line', () => {
    const { lines } = auditBundle({
      'packages/cli/dist/common.js': "import '../../gateway/dist/compose.js';\n",
      'packages/gateway/dist/compose.js': "console.log('gateway');\n",
    });
    expect(lines).toEqual([
      'packages/gateway/dist/compose.js must not be in the bundle of the cli',
      'packages/gateway/dist/compose.js must not be in the bundle of the shim',
    ]);
  });

  test('finds the ledger inside the shim', () => {
    const shim = "import '../../../../ledger/dist/index.js';\nimport '../../../../ipc/dist/connect.js';\n";
    expect(auditBundle({ 'packages/cli/dist/verbs/shim/stdio.js': shim }).lines).toEqual([
      'packages/ledger/dist/index.js must not be in the bundle of the shim',
      'node_modules/better-sqlite3/ must not be in the bundle of the shim',
    ]);
  });
});
