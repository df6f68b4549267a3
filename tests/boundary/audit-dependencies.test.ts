import { describe, expect, test } from 'vitest';
import { type AuditResult, audit, found } from './audit.js';
import { plantTree } from './planted-tree.js';

interface PlantedPackage {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** Audits a tree where the package `policy` depends on `first`, with these npm packages installed. */
function auditWith(packages: Readonly<Record<string, PlantedPackage>>, reviewed?: unknown): AuditResult {
  const lock = {
    'packages/policy': { dependencies: { first: '1.0.0' } },
    ...Object.fromEntries(
      Object.entries(packages).map(([name, { dependencies }]) => [`node_modules/${name}`, { dependencies }]),
    ),
  };
  const files = Object.entries(packages).flatMap(([name, planted]) =>
    Object.entries(planted.files).map(([file, text]) => [`node_modules/${name}/${file}`, text] as const),
  );
  const tree = plantTree({
    'packages/policy/src/index.ts': "export { first } from 'first';\n",
    'package-lock.json': JSON.stringify({ packages: lock }),
    'node_modules/.keep': '',
    ...Object.fromEntries(files),
    ...(reviewed === undefined ? {} : { 'scripts/privacy-audit/reviewed.json': JSON.stringify(reviewed) }),
  });
  try {
    return audit(tree.root, ['bundles', 'dependencies']);
  } finally {
    tree.remove();
  }
}

const CALM = { files: { 'index.js': 'exports.first = 1;\n' } };

describe('the audit of the dependencies', () => {
  test('passes a package that only computes', () => {
    const result = auditWith({ first: CALM });
    expect(found(result)).toEqual([]);
    expect(result.exit).toBe(0);
  });

  test.each([
    ['a require', "require('net').connect(80);\n", 'require of net'],
    ['an import', "import http from 'node:http';\nhttp.get('x');\n", 'import of http'],
    ['a dynamic import', "export const tls = import('tls');\n", 'dynamic import of tls'],
    ['a computed require', 'exports.load = (name) => require(name);\n', 'computed require'],
    ['fetch', "exports.first = () => fetch('x');\n", 'network: fetch'],
    ['generated code', "exports.first = new Function('return 1');\n", 'code: new Function'],
    ['a hidden constructor', "const F = Function;\nexports.first = new F('return 1');\n", 'code: Function'],
    ['process.binding', "exports.first = process.binding('tcp_wrap');\n", 'native: .binding()'],
    ['a started process', "require('child_process').spawn('curl');\n", 'require of child_process'],
    [
      'a package that it does not declare',
      "require('undici').request('x');\n",
      'require of undici, which it does not',
    ],
  ])('finds %s', (_, code, what) => {
    const name = code.startsWith('import') || code.startsWith('export ') ? 'index.mjs' : 'index.js';
    const result = auditWith({ first: { files: { [name]: code } } });
    expect(found(result)).toEqual([expect.stringContaining(what)]);
    expect(result.exit).toBe(1);
  });

  test('finds what a dependency of a dependency does', () => {
    const second = { files: { 'lib/deep.cjs': "require('dgram').createSocket('udp4');\n" } };
    const result = auditWith({ first: { ...CALM, dependencies: { second: '1.0.0' } }, second });
    expect(found(result)).toEqual(['node_modules/second/lib/deep.cjs:1 require of dgram']);
  });

  test('finds native code that links the socket calls, and WebAssembly', () => {
    const elf = new TextEncoder().encode('\u007fELF\0free\0socket\0');
    const files = { ...CALM.files, 'build/first.node': elf, 'first.wasm': '\0asm' };
    expect(found(auditWith({ first: { files } }))).toEqual([
      'node_modules/first/build/first.node:0 native code uses socket',
      'node_modules/first/first.wasm:0 WebAssembly, which is not read',
    ]);
  });

  test('fails on what it cannot read: a file that does not parse, a package that is not installed', () => {
    expect(found(auditWith({ first: { files: { 'index.js': 'this is not = code' } } }))).toEqual([
      expect.stringContaining('does not parse'),
    ]);
    expect(found(auditWith({ first: { files: {} } }))).toEqual([expect.stringContaining('not installed')]);
    const missing = { ...CALM, dependencies: { second: '1.0.0' } };
    expect(found(auditWith({ first: missing }))).toEqual([
      expect.stringContaining('is not in package-lock.json'),
    ]);
  });
});

describe('the reviewed list', () => {
  const use = { package: 'first', file: 'index.js', fact: 'require of net', reason: 'only in a comment' };
  const first = { files: { 'index.js': "require('net');\n" } };

  test('clears the one fact that it names', () => {
    expect(auditWith({ first }, { uses: [use], edges: [] }).exit).toBe(0);
    const more = { files: { 'index.js': "require('net');\nrequire('tls');\n" } };
    expect(found(auditWith({ first: more }, { uses: [use], edges: [] }))).toEqual([
      'node_modules/first/index.js:2 require of tls',
    ]);
  });

  test('clears nothing without a reason', () => {
    expect(auditWith({ first }, { uses: [{ ...use, reason: '' }], edges: [] }).exit).toBe(1);
  });

  test('fails when an entry matches nothing any more', () => {
    const result = auditWith({ first: CALM }, { uses: [use], edges: [] });
    expect(found(result)).toEqual([expect.stringContaining('this entry matches nothing any more')]);
  });

  test('cuts a dependency only while nothing imports it', () => {
    const edges = [{ from: 'first', to: 'second', reason: 'install time only' }];
    const second = { files: { 'index.js': "require('https');\n" } };
    const calm = { ...CALM, dependencies: { second: '1.0.0' } };
    expect(auditWith({ first: calm, second }, { uses: [], edges }).exit).toBe(0);
    const uses = { files: { 'index.js': "require('second');\n" }, dependencies: { second: '1.0.0' } };
    expect(found(auditWith({ first: uses, second }, { uses: [], edges }))).toEqual([
      expect.stringContaining('require of second, which it does not declare'),
    ]);
  });
});
