import { lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { assertOver, overOf } from './over.js';

const made = async (): Promise<string> => {
  const path = mkdtempSync('/var/tmp/sub-over-');
  onTestFinished(() => rmSync(path, { recursive: true }));
  // A name that comes later has changed it since it was born.
  await setTimeout(50);
  writeFileSync(join(path, 'n'), '');
  return path;
};

it('a folder that has the number of one that is gone is another one', async () => {
  const project = await made();
  const stats = lstatSync(project, { bigint: true });
  const over = overOf(project);
  const assert = (one: typeof over): void => assertOver({ place: { id: 'one' }, project, over: one }, stats);
  expect(over?.born).toMatch(/^\d+$/);
  assert(over);
  assert(over === undefined ? undefined : { ...over, born: '' });
  expect(() => assert(over === undefined ? undefined : { ...over, born: '1' })).toThrow(
    'lies over another folder',
  );
});
