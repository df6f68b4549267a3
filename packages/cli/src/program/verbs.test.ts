import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { expect, it } from 'vitest';
import { flatten, treeOf } from './completion/tree.js';
import type { Does } from './verb.js';
import { VERBS } from './verbs.js';

const does: Does = () => undefined;

it.each(VERBS)('the verb $name is found by its path', async ({ name, load }) => {
  const program = new Command('sub').helpCommand(false).enablePositionalOptions();
  (await load()).define(program.command(name), does);
  const leaves = flatten(treeOf(program)).filter(
    ({ name: one, children }) => one !== 'help' && children.length === 0,
  );
  expect(leaves.length).toBeGreaterThan(0);
  for (const { path } of leaves) {
    const file = fileURLToPath(new URL(`../verbs/${path.replaceAll(' ', '/')}.ts`, import.meta.url));
    expect(existsSync(file), file).toBe(true);
  }
});
