import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stage } from './stage.js';

/** A stage with a project of two files, whose worlds lay a layer over it. */
export async function layeredStage(uid: number | undefined): Promise<Stage> {
  const stage = new Stage(uid);
  mkdirSync(join(stage.project, 'd'));
  for (const [name, text] of [
    ['a', 'a\n'],
    ['d/b', 'b\n'],
  ] as const)
    writeFileSync(join(stage.project, name), text);
  for (const name of ['d', 'a', 'd/b']) stage.give(name);
  await stage.start({});
  return stage;
}

/** The layers of its home, by their ids. */
export function layersOf(stage: Stage): readonly string[] {
  return readdirSync(join(stage.home, 'layers')).filter((name) => name !== 'lock');
}

/** The changes that its entries of that type tell, in their order. */
export function toldBy(stage: Stage, type: string): readonly unknown[] {
  return stage
    .rows()
    .filter((row) => row.type === type)
    .map(({ data }) => (data as { fs_diff?: unknown }).fs_diff);
}
