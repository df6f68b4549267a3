import { appendFileSync, chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../harness/processes.js';
import { Stage, SUB, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const ROGUE = fileURLToPath(new URL('kit/rogue-server.mjs', import.meta.url));
const KIT = fileURLToPath(new URL('kit', import.meta.url));
const FILES = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js', import.meta.url),
);
const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));

describe.skipIf(why !== undefined)(`a world${absent}`, () => {
  describe.each(USERS)('of a server that is started by %s', (_, uid) => {
    let stage: Stage;
    let web: Server;
    let port: number;
    const clients: Client[] = [];

    beforeAll(async () => {
      web = createServer((_request, response) => response.end('the allowed server'));
      await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
      ({ port } = web.address() as AddressInfo);
      stage = new Stage(uid);
      writeFileSync(join(stage.root, 'secret'), 'canary-file');
      chmodSync(join(stage.root, 'secret'), 0o644);
      await stage.start({ 'allowed.test': [{ port }] });
    });
    afterAll(async () => {
      await Promise.all(clients.map((client) => client.close()));
      await stage.remove();
      web.close();
    });

    const open = async (name: string, ...words: readonly string[]): Promise<Client> => {
      const client = new Client({ name: 'a-client', version: '1' });
      const [command, ...args] = stage.asUser(
        process.execPath,
        SUB,
        'shim',
        'stdio',
        '--home',
        stage.home,
        '--server',
        name,
        ...words,
      );
      await client.connect(
        new StdioClientTransport({
          command,
          args,
          cwd: stage.project,
          stderr: 'ignore',
          env: {
            PATH: '/usr/bin:/bin',
            CANARY: 'canary-env',
            PERL5OPT: '-Mno_such_module',
            LD_PRELOAD: '/no/such/library.so',
            BASH_ENV: '/no/such/file',
          },
        }),
      );
      clients.push(client);
      return client;
    };
    const rogue = async (client: Client, code: string): Promise<string> => {
      const { content } = await client.callTool({ name: 'do', arguments: { code } });
      return (content as { text: string }[])[0]?.text ?? '';
    };

    it('serves its project as it would outside', async () => {
      const client = await open(
        'files',
        '--world',
        '--read',
        MODULES,
        '--',
        process.execPath,
        FILES,
        stage.project,
      );
      const path = join(stage.project, 'made');
      await client.callTool({ name: 'write_file', arguments: { path, content: 'by the server' } });
      expect(readFileSync(path, 'utf8')).toBe('by the server');
      expect(await client.callTool({ name: 'read_text_file', arguments: { path } })).toMatchObject({
        content: [{ text: 'by the server' }],
      });
    });

    it('that was taken over reaches what is allowed by name, and nothing else', async () => {
      const client = await open('rogue', '--world', '--read', KIT, '--', process.execPath, ROGUE);
      const get = (url: string): Promise<string> => rogue(client, `return (await fetch("${url}")).text()`);
      expect(await get(`http://allowed.test:${port}/`)).toBe('the allowed server');
      expect(await get(`http://127.0.0.1:${port}/`)).toMatch(/ECONNREFUSED/);
      expect(await get(`http://10.0.0.1:${port}/`)).toMatch(/is not on the allowlist/);
      expect(await get('http://evil.test/')).toMatch(/ENOTFOUND/);
      const places = stage.rows().flatMap(({ type, data }) => {
        const { facts } = data as { facts?: { host?: string; server_name?: string; via?: string } };
        return type === 'action_pending' || type === 'action_rejected'
          ? [`${facts?.server_name} ${facts?.via} ${facts?.host}`]
          : [];
      });
      for (const host of ['allowed.test', '10.0.0.1', 'evil.test'])
        expect(places).toContain(`rogue world ${host}`);
    });

    it('that was taken over finds no secret of whoever started it', async () => {
      const client = await open('rogue2', '--world', '--read', KIT, '--', process.execPath, ROGUE);
      const found = await rogue(
        client,
        `const { readFileSync, readdirSync } = await import('node:fs');
       const all = ['${join(stage.root, 'secret')}', '${join(stage.home, 'keys/enrol')}', '/proc/1/environ', '/proc/self/environ']
         .map((path) => { try { return readFileSync(path, 'utf8') } catch (error) { return error.code } });
       return JSON.stringify([all, Object.keys(process.env).sort(), readdirSync('${stage.root}')])`,
      );
      expect(found).not.toMatch(/canary/);
      expect(JSON.parse(found)).toMatchObject([
        ['ENOENT', 'ENOENT', 'EACCES', expect.any(String)],
        expect.any(Array),
        ['project'],
      ]);
    });

    it('lives in one because the settings say so, though its client does not ask for it', async () => {
      appendFileSync(
        join(stage.home, 'config.toml'),
        `[servers.settled]\nworld = true\nworld_read = ["${KIT}"]\n`,
      );
      const client = await open('settled', '--', process.execPath, ROGUE);
      expect(await rogue(client, 'return (await import("node:os")).hostname()')).toBe('world');
    });

    it('is closed when its shim is killed, though the run goes on', async () => {
      const ends = (): number => stage.rows().filter(({ data }) => data['cause'] === 'starter_gone').length;
      const client = await open('killed', '--world', '--read', KIT, '--', process.execPath, ROGUE);
      clients.pop();
      const { transport } = client;
      if (!(transport instanceof StdioClientTransport) || transport.pid === null) throw new Error('no shim');
      process.kill(transport.pid, 'SIGKILL');
      await eventually('its end is recorded', () => ends() === 1);
      expect((await stage.sub('status')).stdout).toMatch(/^worlds +4 open$/m);
      await client.close();
    });

    it('is gone with everything of it when its client is', async () => {
      const count = (kind: string): number => stage.rows().filter(({ type }) => type === kind).length;
      expect(stage.processes().length).toBeGreaterThan(0);
      expect((await stage.sub('status')).stdout).toMatch(/^worlds +4 open$/m);
      await Promise.all(clients.splice(0).map((client) => client.close()));
      await eventually('nothing of them runs', () => stage.processes().length === 0);
      expect(count('world_begin')).toBe(5);
      await eventually('their ends are recorded', () => count('world_end') === 5);
    });
  });
});
