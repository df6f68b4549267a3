import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lint } from './linter.js';
import { type PlantedTree, REPOSITORY, plantTree } from './planted-tree.js';

const WIDE = `${'word '.repeat(25)}end`;
const REFUSED = {
  'a wide line comment': ['width', `// ${WIDE}`],
  'a wide line of a block': ['width', `/**\n * Short.\n * ${WIDE}\n */`],
  'code with a comment that makes it wide': ['width', `export const a = 1; // ${WIDE}`],
  'a comment that begins with What': ['subject-first', '/** What the stage writes with. */'],
  'a later sentence that begins with Who': ['subject-first', '// A stage. Who asks for more waits.'],
  'a sentence of a second line': ['subject-first', '// A stage writes it.\n// Whoever reads it waits.'],
  'a sentence after a bracket': ['subject-first', '/* (A stage.) What it writes. */'],
  'an item of a list': ['subject-first', '/**\n * Stages:\n * - What is read\n */'],
} as const;
const LET_THROUGH = {
  'a line of 110 columns': `// ${'a'.repeat(52)} ${'b'.repeat(54)}`,
  'a long address': `// https://example.com/${'a'.repeat(120)}`,
  'a clause in mid-sentence': '// The stage says what it writes, and who asked: What is a name here.',
  'a wide text that is no comment': `export const wide = '${WIDE}';`,
} as const;

describe('the prose rules of npm run lint', () => {
  const named = (cases: Readonly<Record<string, string | readonly [string, string]>>): [string, string][] =>
    Object.entries(cases).map(([name, code]) => [
      `packages/policy/src/planted/${name.replaceAll(/\W+/g, '-').toLowerCase()}.ts`,
      `${typeof code === 'string' ? code : code[1]}\nexport const clean = 1;\n`,
    ]);
  const said = (file: string): readonly string[] =>
    codes.filter((found) => found.filename === file).map((found) => found.code ?? '');
  let tree: PlantedTree;
  let codes: ReturnType<typeof lint>['diagnostics'] = [];

  beforeAll(() => {
    tree = plantTree(Object.fromEntries([...named(REFUSED), ...named(LET_THROUGH)]));
    codes = lint(tree.root).diagnostics.filter((found) => found.code?.startsWith('prose(') === true);
  });
  afterAll(() => tree.remove());

  test.each(Object.entries(REFUSED))('refuse %s', (name, [rule]) => {
    const [file = ''] = named({ [name]: '' })[0] ?? [];
    expect(said(file)).toEqual([`prose(${rule})`]);
  });

  test.each(Object.keys(LET_THROUGH))('say nothing of %s', (name) => {
    const [file = ''] = named({ [name]: '' })[0] ?? [];
    expect(said(file)).toEqual([]);
  });

  test('exempt the files of the list from one of them', () => {
    const [file = ''] = named({ 'a comment that begins with What': '' })[0] ?? [];
    writeFileSync(join(tree.root, 'scripts/prose/exempt.txt'), `${file}\n`);
    const found = lint(tree.root).diagnostics.filter((one) => one.code === 'prose(subject-first)');
    expect(found.map((one) => one.filename)).not.toContain(file);
    expect(found.length).toBeGreaterThan(0);
  });
});

test('every file of the list of exempt files still needs to be on it: `node scripts/prose/exempt.mjs` writes it', () => {
  const list = join(REPOSITORY, 'scripts/prose/exempt.txt');
  const before = readFileSync(list, 'utf8');
  const printed = execFileSync(process.execPath, [join(REPOSITORY, 'scripts/prose/exempt.mjs'), '--print'], {
    encoding: 'utf8',
  });
  expect(printed).toBe(before);
});
