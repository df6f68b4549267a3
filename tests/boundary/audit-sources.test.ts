import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditResult, audit, found } from './audit.js';
import { type PlantedTree, REPOSITORY, plantTree } from './planted-tree.js';
import { HARMLESS, VIOLATIONS } from './violations.js';

const OTHER_DOORS: Readonly<Record<string, string>> = {
  'a port': "import { connect } from 'node:net';\nconnect({ port: 80 });\n",
  'a path and a host': "import net from 'node:net';\nnet.connect({ path: '/x', host: 'a.example' });\n",
  'options from elsewhere':
    "import { options } from './own.js';\nimport { connect } from 'node:net';\nconnect(options);\n",
  'spread options':
    "import * as net from 'node:net';\nconst o = {};\nnet.createConnection({ path: '/x', ...o });\n",
  'a listener': "import net from 'node:net';\nnet.createServer().listen(80);\n",
  'a class of the module': "import { Socket } from 'node:net';\nnew Socket().connect(80);\n",
  'the module handed on': "import net from 'node:net';\nexport const all = net;\n",
  'the function handed on': "import { connect } from 'node:net';\nexport const dial = connect;\n",
  'a re-export': "export { connect } from 'node:net';\n",
};

describe('the audit of the sources', () => {
  let tree: PlantedTree;
  let result: AuditResult;

  beforeAll(() => {
    tree = plantTree({
      ...Object.fromEntries(VIOLATIONS.map(({ file, code }) => [file, code])),
      ...HARMLESS,
    });
    result = audit(tree.root, ['sources']);
  });
  afterAll(() => tree.remove());

  test('exits 1 when it found something', () => {
    expect(result.exit).toBe(1);
  });

  test.each(VIOLATIONS)('finds $what', ({ file }) => {
    expect(found(result).filter((line) => line.startsWith(file))).not.toEqual([]);
  });

  test.each(Object.keys(HARMLESS))('clears %s', (file) => {
    expect(found(result).filter((line) => line.startsWith(file))).toEqual([]);
  });

  test('refuses a file that does not parse', () => {
    const broken = plantTree({ 'packages/policy/src/broken.ts': 'export const = ;\n' });
    try {
      expect(found(audit(broken.root, ['sources']))).toEqual([
        expect.stringContaining('packages/policy/src/broken.ts'),
      ]);
    } finally {
      broken.remove();
    }
  });

  test('passes this repository', () => {
    const own = audit(REPOSITORY, ['sources']);
    expect(found(own)).toEqual([]);
    expect(own.exit).toBe(0);
  });
});

describe('the audit of the door in ipc', () => {
  test.each(Object.entries(OTHER_DOORS))('refuses %s', (_, code) => {
    const tree = plantTree({ 'packages/ipc/src/connect.ts': code });
    try {
      const checks = audit(tree.root, ['sources']).checks;
      expect(checks.find(({ subject }) => subject === 'unix socket only')?.status).toBe('failed');
    } finally {
      tree.remove();
    }
  });
});
