import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { after } from '../gateway/harness.js';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { client, hookWorld, use } from './world.js';

it('a hook finds the policy of the project that its session works in, and keeps it when that moves on', async () => {
  const at = realpathSync(mkdtempSync(join(tmpdir(), 'sub-hp-')));
  after(() => rmSync(at, { recursive: true, force: true }));
  const tree = join(at, 'worktree');
  mkdirSync(join(tree, 'src'), { recursive: true });
  const file = join(tree, '.subluminal.yaml');
  const text = bundle([
    deny('no-rm', { command: { argv: ['rm *'] } }, { message: 'this project removes nothing' }),
  ]);
  writeFileSync(file, text);
  const world = await hookWorld({ policy: bundle([]) });
  const operator = await world.gateway.operator();
  expect(await operator.request('policy.trust', { file, text })).toMatchObject({ status: 'success' });
  const claude = client(world);
  const answer = async (id: string, cwd: string): Promise<boolean> => {
    const { text: told } = await claude.post({ body: use('PreToolUse', id, 'rm x', { cwd }) });
    return told.includes('this project removes nothing');
  };
  expect([
    await answer('t1', at),
    await answer('t2', join(tree, 'src')),
    // The session has left the worktree: what bound it there binds it still.
    await answer('t3', at),
  ]).toEqual([false, true, true]);
  expect(world.gateway.rows('run_start')).toHaveLength(1);
});
