import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { thisMachine } from './machine.js';
import { projectSight } from './wings/projects.js';

it('the folder of a run waits behind no paths of a call', async () => {
  const sight = projectSight();
  const { resolve } = thisMachine({ foldersOf: () => [] }, sight);
  const order: string[] = [];
  const paths = Array.from({ length: 500 }, async () => resolve(tmpdir()));
  await Promise.all([
    Promise.all(paths).then(() => order.push('paths')),
    sight.resolve(tmpdir()).then(() => order.push('folder')),
  ]);
  expect(order).toEqual(['folder', 'paths']);
});
