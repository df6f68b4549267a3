import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Where } from '../clients/client.js';
import { thisMachine } from '../clients/place/machine.js';
import { readEnvironment } from '../program/env.js';
import { Call } from '../program/call.js';
import type { Session } from '../program/session.js';
import { findClients } from './found.js';
import { planLines } from './plan-lines.js';

let user: string;
beforeEach(() => {
  user = mkdtempSync(join(tmpdir(), 'sub-found-'));
  mkdirSync(join(user, '.claude'));
  writeFileSync(join(user, '.claude.json'), '{"mcpServers": {"a": {"command": "x"}}}');
});
afterEach(() => rmSync(user, { recursive: true, force: true }));

/** A machine of an administrator, whose files are these. */
function machine(files: Readonly<Record<string, string>>): Where {
  const here = thisMachine({}, user);
  return {
    ...here,
    userHome: user,
    platform: 'linux',
    readText: (path) => files[path] ?? (path.startsWith(user) ? here.readText(path) : undefined),
    list: (path) => (path.startsWith(user) ? here.list(path) : []),
  };
}

async function planOf(files: Readonly<Record<string, string>>): Promise<string> {
  const session = {
    cwd: user,
    now: Date.now,
    program: '/opt/sub/bin/sub.mjs',
    environment: readEnvironment({ HOME: user }),
  } as Session;
  const call = new Call(session, { verb: 'init', args: [], home: join(user, 'home') }, {});
  const found = await findClients(call, machine(files));
  return planLines(found, { paint: (_, text) => text, width: Number.POSITIVE_INFINITY }).join('\n');
}

it('names servers that an administrator has, and leaves all of the user to them', async () => {
  const path = '/etc/claude-code/managed-mcp.json';
  const plan = await planOf({ [path]: '{"mcpServers": {"theirs": {"command": "x"}}}' });
  expect(plan).toContain(
    `stays      a: \`${path}\` is there, and the client then starts no server of other files`,
  );
  expect(plan).toContain(`stays      theirs: \`${path}\` is an administrator's`);
});

it('names settings of an administrator that go past the gateway', async () => {
  const plan = await planOf({
    '/etc/claude-code/managed-settings.json':
      '{"allowManagedMcpServersOnly": true, "allowManagedHooksOnly": true}',
  });
  expect(plan).toMatch(/mind .*allowManagedMcpServersOnly in \/etc\/claude-code/);
  expect(plan).toMatch(/mind .*allowManagedHooksOnly.* in \/etc\/claude-code/);
});
