import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { claude } from '../../clients/claude/client.js';
import { thisMachine } from '../../clients/place/machine.js';
import { startable } from './launch.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sub-launch-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('a server starts in no folder that `sub init` happens to be called in', () => {
  const args = ['shim', 'stdio', '--server', 's', '--home', '/h', '--', 'npx', 's'];
  const ours = { command: '/h/sub', args };
  const path = join(root, '.claude.json');
  const projects = { '/own/project': { mcpServers: { local: ours } } };
  writeFileSync(path, JSON.stringify({ mcpServers: { user: ours }, projects }));
  const where = { ...thisMachine({}, '/hostile/folder'), userHome: root };
  const found = startable(claude, { path, scope: 'user' }, where);
  expect(found.map(({ server, launch }) => [server, Reflect.get(launch, 'cwd')])).toEqual([
    ['user', root],
    ['local', '/own/project'],
  ]);
});
