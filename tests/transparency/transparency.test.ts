import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, dedupe } from '../gateway/policy-bundle.js';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { shimCommand } from '../harness/sub.js';
import { sessionV1, expectRefusal, type Steps } from './session-v1.js';
import { sessionV2, stepsLegacy, stepsModern } from './session-v2.js';
import { stepsEverything } from './steps-everything.js';
import { comparable, type Line } from './transcript.js';
import { programOf } from '../support/programs.js';

const require = createRequire(import.meta.url);
const node = process.execPath;
const everything = [node, require.resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'];
const filesystem = require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const memory = [node, require.resolve('@modelcontextprotocol/server-memory/dist/index.js')];
const modern = [node, programOf('modern-server')];

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  const up = await runSub(['up', '--home', home.home]);
  expect(up).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

/** Both sessions in turn: without and with the shim. */
async function both(
  name: string,
  server: readonly string[],
  session: (argv: readonly string[]) => Promise<Line[]>,
  pass: readonly string[] = [],
): Promise<[ReturnType<typeof comparable>, ReturnType<typeof comparable>]> {
  const direct = await session(server);
  const shimmed = await session(shimCommand(home.home, name, server, pass));
  return [comparable(direct), comparable(shimmed)];
}

async function callsOf(server: string): Promise<unknown[]> {
  const query = await runSub(['query', '--home', home.home, '--server', server, '--limit', '500', '--json']);
  expect(query).toMatchObject({ code: 0 });
  return query.stdout.trim().split('\n').filter(Boolean);
}

describe('a server behind the shim behaves as without it', () => {
  it('everything, with the 1.x client', async () => {
    const [direct, shimmed] = await both('everything', everything, (argv) =>
      sessionV1(argv, stepsEverything),
    );
    expect(direct.messages.length).toBeGreaterThan(50);
    expect(shimmed).toEqual(direct);
    expect((await callsOf('everything')).length).toBeGreaterThan(20);
  });

  it('everything, with the 2.x client that probes for the newer revision first', async () => {
    const [direct, shimmed] = await both('everything-v2', everything, (argv) => sessionV2(argv, stepsLegacy));
    expect(direct.messages.length).toBeGreaterThan(12);
    expect(shimmed).toEqual(direct);
  });

  it('a server that speaks only 2026-07-28, with the 2.x client', async () => {
    const [direct, shimmed] = await both('modern', modern, (argv) => sessionV2(argv, stepsModern));
    expect(direct.messages.join('\n')).toContain('input_required');
    expect(direct.messages.join('\n')).toContain('deployed to staging');
    expect(shimmed).toEqual(direct);
  });

  it('also where a dedupe watches over the tool that asks back: both of its calls are one action', async () => {
    const other = createHome({ policy: bundle([dedupe('once', 'deploy', 600_000)]) });
    try {
      expect(await runSub(['up', '--home', other.home])).toMatchObject({ code: 0 });
      const direct = comparable(await sessionV2(modern, stepsModern));
      const argv = shimCommand(other.home, 'modern', modern);
      expect(comparable(await sessionV2(argv, stepsModern))).toEqual(direct);
      const twice = await sessionV2(argv, async (client) => {
        const deploy = { name: 'deploy', arguments: { env: 'production' } };
        expect(await client.callTool(deploy)).toMatchObject({
          content: [{ text: 'deployed to production' }],
        });
        await expect(client.callTool(deploy)).rejects.toThrow('once');
      });
      expect(comparable(twice).messages.join('\n')).toContain('DUPLICATE_CALL');
      const query = ['query', '--home', other.home, '--tool', 'deploy', '--json'];
      const calls: { call_id: string }[] = (await runSub(query)).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(calls).toHaveLength(5);
      const shown = await runSub(['show', calls[1]?.call_id ?? '', '--home', other.home]);
      expect(shown.stdout).toContain(`continues  ${calls[2]?.call_id}`);
      const explained = await runSub([
        'policy',
        'explain',
        calls[1]?.call_id ?? '',
        '--home',
        other.home,
        '--json',
      ]);
      expect(JSON.parse(explained.stdout)).toMatchObject({
        notes: [],
        ruling: { decision: { action: 'ALLOW' } },
      });
      const policy = join(other.home, 'policy.yaml');
      const replayed = await runSub(['policy', 'replay', policy, '--home', other.home, '--json']);
      expect(replayed.stdout).not.toContain('newly_blocked":1');
      expect(replayed.stdout).toContain('"same":');
    } finally {
      await other.remove();
    }
  });

  it('filesystem, with the 1.x client', async () => {
    const folder = join(home.root, 'files');
    const [direct, shimmed] = await both('filesystem', [node, filesystem, folder], (argv) => {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'note.txt'), 'first line\nsecond line\n');
      // It takes over the roots of its client in a task of its own.
      return sessionV1(argv, stepsFilesystem(folder), {
        ready: 'Updated allowed directories from MCP roots',
      });
    });
    expect(direct.messages.length).toBeGreaterThan(15);
    expect(shimmed).toEqual(direct);
  });

  it('memory, with the 1.x client', async () => {
    let round = 0;
    const session = (argv: readonly string[]) => {
      round += 1;
      return sessionV1(argv, stepsMemory, {
        env: { MEMORY_FILE_PATH: join(home.root, `memory-${round}.jsonl`) },
      });
    };
    const [direct, shimmed] = await both('memory', memory, session, ['MEMORY_FILE_PATH']);
    // Without the name of its file the server would write beside its program, and find that at the next
    // start.
    expect(existsSync(join(home.root, 'memory-2.jsonl'))).toBe(true);
    expect(direct.messages.length).toBeGreaterThan(10);
    expect(shimmed).toEqual(direct);
  });
});

function stepsFilesystem(folder: string): Steps {
  return async (client) => {
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    await client.listTools();
    await call('list_allowed_directories', {});
    await call('read_text_file', { path: join(folder, 'note.txt') });
    await call('write_file', { path: join(folder, 'new.txt'), content: 'tab\there, ünïcode' });
    await call('edit_file', {
      path: join(folder, 'note.txt'),
      edits: [{ oldText: 'first', newText: 'FIRST' }],
      dryRun: true,
    });
    await call('list_directory', { path: folder });
    await call('read_text_file', { path: '/etc/passwd' });
    await call('read_multiple_files', { paths: [join(folder, 'note.txt'), join(folder, 'missing.txt')] });
    await expectRefusal(client.listPrompts());
  };
}

const stepsMemory: Steps = async (client) => {
  const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
  await client.listTools();
  await call('create_entities', {
    entities: [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }],
  });
  await call('add_observations', { observations: [{ entityName: 'Ada', contents: ['liked mathematics'] }] });
  await call('search_nodes', { query: 'Ada' });
  await call('add_observations', { observations: [{ entityName: 'Nobody', contents: ['x'] }] });
  await call('read_graph', {});
};
