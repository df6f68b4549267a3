import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Diagnostic, lint } from './linter.js';
import { type PlantedTree, REPOSITORY, plantTree } from './planted-tree.js';
import { HARMLESS, VIOLATIONS } from './violations.js';

function boundaryRules(diagnostics: readonly Diagnostic[], file: string): readonly string[] {
  return diagnostics
    .filter((found) => found.filename === file && found.severity === 'error')
    .map((found) => found.code ?? '')
    .filter((code) => code.startsWith('boundary('));
}

describe('the boundary rules of npm run lint', () => {
  let tree: PlantedTree;
  let diagnostics: readonly Diagnostic[];

  beforeAll(() => {
    const planted = Object.fromEntries(VIOLATIONS.map(({ file, code }) => [file, code]));
    tree = plantTree({ ...planted, ...HARMLESS });
    diagnostics = lint(tree.root).diagnostics;
  });
  afterAll(() => tree.remove());

  test.each(VIOLATIONS)('refuse $what', ({ file, rule }) => {
    expect(boundaryRules(diagnostics, file)).toContain(`boundary(${rule})`);
  });

  test.each(Object.keys(HARMLESS))('say nothing of %s', (file) => {
    expect(boundaryRules(diagnostics, file)).toEqual([]);
  });

  test('tell where to go instead', () => {
    const text = JSON.stringify(diagnostics.filter((found) => found.filename.endsWith('planted/fetch.ts')));
    expect(text).toContain('send an action through @subluminal/ipc');
  });
});

describe('npm run lint', () => {
  test('passes a tree without a violation and fails it once one is planted', () => {
    const tree = plantTree({ 'packages/policy/src/clean.ts': 'export const clean = 1;\n' });
    try {
      cpSync(join(REPOSITORY, 'tsconfig.base.json'), join(tree.root, 'tsconfig.json'));
      expect(lint(tree.root)).toEqual({ status: 0, diagnostics: [] });
      writeFileSync(join(tree.root, 'packages/policy/src/clean.ts'), "export { get } from 'node:https';\n");
      expect(lint(tree.root)).toMatchObject({ status: 1, diagnostics: [{ code: 'boundary(imports)' }] });
    } finally {
      tree.remove();
    }
  });

  test('runs with the boundary rules at error severity and on every folder', () => {
    const config = JSON.parse(readFileSync(join(REPOSITORY, '.oxlintrc.json'), 'utf8'));
    expect(config.rules).toMatchObject({
      'boundary/imports': 'error',
      'boundary/network-globals': 'error',
      'boundary/process-start': 'error',
      'boundary/hidden-code': 'error',
    });
    expect(config.ignorePatterns).toEqual(['**/dist/**', '**/node_modules/**', 'vectors/**', 'coverage/**']);
    for (const override of config.overrides ?? []) {
      const rules = Object.keys(override.rules ?? {});
      expect(rules.filter((rule) => rule.startsWith('boundary/'))).toEqual([]);
    }
    const manifest = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8'));
    expect(manifest.scripts.lint).toBe('oxlint --disable-nested-config --deny-warnings && oxfmt --check');
  });
});
