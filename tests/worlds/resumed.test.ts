import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { processIdentity } from '@subluminal/ipc';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../harness/processes.js';
import { type Ended, Stage, SUB, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const KIT = fileURLToPath(new URL('kit', import.meta.url));
const LISTENS = `import socket
s = socket.create_server(("0.0.0.0", PORT), backlog=100)
while True:
  c, _ = s.accept()
  c.recv(1000)
  c.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 8\\r\\n\\r\\nIMPOSTOR")
  c.close()`;
const MANY_BYTES = 3000;
const BUDGET = `policy_id: t
version: "1"
mode: observe
defaults: { decision_on_error: BLOCK }
selectors: {}
rules: []
world:
  egress_budget: { total_bytes: ${MANY_BYTES} }
`;

describe.skipIf(why !== undefined)(`a world whose gateway ends${absent}`, () => {
  describe.each(USERS)('that is started by %s', (_, uid) => {
    let server: Server;
    let port: number;
    let hits = 0;
    let stage: Stage;

    const exec = (script: string): Promise<Ended> =>
      stage.sub('world', 'exec', '--', '/bin/sh', '-c', script);
    const sub = (verb: readonly string[], ...args: readonly string[]): [string, ...string[]] =>
      stage.asUser(process.execPath, SUB, ...verb, '--home', stage.home, ...args);
    const worlds = async (): Promise<readonly string[]> => {
      const { stdout } = await stage.sub('world', 'status', '--json');
      const { worlds: open } = JSON.parse(stdout) as { worlds: { world_id: string }[] };
      return open.map(({ world_id }) => world_id);
    };
    const start = (): Promise<void> => stage.start({ 'a.test': [{ port }], 'b.test': [{ port }] });

    beforeAll(async () => {
      server = createServer((_request, answer) => {
        hits += 1;
        answer.end('reached');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const at = server.address();
      port = typeof at === 'object' && at !== null ? at.port : 0;
      const variables: Record<string, string> = {};
      stage = new Stage(uid, { variables });
      variables['HOME'] = stage.project;
      await start();
      expect(await stage.sub('hooks', 'install', 'claude')).toMatchObject({ code: 0 });
    });
    afterAll(async () => {
      await stage.sub('world', 'close', '--all');
      await stage.remove();
      server.close();
    });

    const curl = (): string => `curl -sS -m 5 http://a.test:${port}/`;

    it.each([
      ['is killed', () => stage.killGateway()],
      ['is stopped', () => stage.stopGateway()],
    ])('goes on with the next one: the gateway %s', async (_how, end) => {
      await exec(
        `${curl()}; (while :; do ${curl()} >> /tmp/seen 2>&1; echo >> /tmp/seen; sleep 0.1; done) > /dev/null 2>&1 &`,
      );
      const [before] = await worlds();
      await end();
      const seen = hits;
      await start();
      await eventually('its programs reach the network again', () => hits > seen + 1);
      expect(await worlds()).toEqual([before]);
      const begun = stage
        .rows()
        .filter(({ type, data }) => type === 'world_begin' && data['world_id'] === before);
      expect(begun.at(-1)?.data).toMatchObject({ resumed: begun.length - 1, network: 'full' });
      expect((await exec(curl())).stdout).toBe('reached');
      await exec('kill $(pgrep -f "while :")');
    });

    it('has other addresses for its names, and none of before leads anywhere', async () => {
      const address = async (): Promise<string> =>
        (await exec('getent hosts a.test')).stdout.split(' ')[0] ?? '';
      const before = await address();
      expect(before).toMatch(/^198\.1[89]\.\d+\.1$/);
      await exec('getent hosts b.test; exit 0');
      await stage.killGateway();
      await start();
      await eventually('its names are answered', async () => (await address()) !== '');
      const after = await address();
      expect(after).not.toBe(before);
      const seen = hits;
      for (const old of [before, before.replace(/1$/, '2')])
        expect((await exec(`curl -sS -m 5 http://${old}:${port}/`)).code).not.toBe(0);
      expect(hits).toBe(seen);
      expect((await exec(`curl -sS -m 5 -H 'Host: a.test:${port}' http://${after}:${port}/`)).stdout).toBe(
        'reached',
      );
    });

    it('has nothing that answers for other addresses meanwhile, and leaves no connection behind', async () => {
      const files = (): number => readdirSync(`/proc/${stage.gatewayPid}/fd`).length;
      await exec('getent hosts a.test');
      const address = (await exec('getent hosts a.test')).stdout.split(' ')[0] ?? '';
      // It listens at every port that the connections below mean, and connects as fast as it can.
      await exec(
        `(python3 -c '${LISTENS.replaceAll('PORT', String(port))}' > /dev/null 2>&1 &
          for i in 1 2 3 4; do (while :; do curl -s -m 1 http://${address}:${port}/ >> /tmp/answers; done) & done) > /dev/null 2>&1 &`,
      );
      const before = files();
      const itself = await exec(`curl -sS -m 5 http://127.0.0.1:${port}/`);
      expect(itself.stdout).toBe('IMPOSTOR');
      await stage.killGateway();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await start();
      await eventually('it is served', async () => (await exec('getent hosts a.test')).stdout !== '');
      expect((await exec('cat /tmp/answers')).stdout).not.toContain('IMPOSTOR');
      await exec('kill $(pgrep curl; pgrep -f "while :"; pgrep python3)');
      // There were hundreds; two networks that wait for a world are a dozen files.
      await eventually('no connection is left', () => files() < before + 20);
    });

    it('is no other run’s, and no other network is taken for its own', async () => {
      await exec('true');
      const [other = ''] = await worlds();
      const inside = stage
        .processes()
        .map((pid) => processIdentity(pid))
        .find((one) => one !== undefined);
      const taker = [
        join(KIT, 'takes-worlds.mjs'),
        stage.home,
        other,
        String(inside?.pid),
        inside?.start ?? '',
      ];
      const [program, ...words] = sub(['run'], '--', process.execPath, ...taker);
      const child = spawn(program, words, { cwd: stage.project, stdio: ['pipe', 'pipe', 'inherit'] });
      let said = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
      await eventually('it has a world of its own', () => said.includes('ready\n'));
      await stage.killGateway();
      await start();
      child.stdin.end('go\n');
      await new Promise((resolve) => child.once('exit', resolve));
      expect(JSON.parse(said.slice(said.indexOf('{')))).toEqual({
        'a world of another run': 'not_found: no gateway has left such a world of this run',
        'a world that nobody had': 'not_found: no gateway has left such a world of this run',
        'its own one, with the network of another': expect.stringMatching(
          /^not_available: .*in another network/,
        ) as string,
        'its own one, with the network of the machine': expect.stringMatching(
          /^not_available: .*the world is not apart/,
        ) as string,
        'its own one, with a process that is gone': expect.stringMatching(
          /^not_available: .*the world is gone/,
        ) as string,
      });
      await eventually('the other one goes on', async () => (await exec(curl())).stdout === 'reached');
      expect(await worlds()).toEqual([other]);
    });

    it('does not have its budget again', async () => {
      await stage.decideBy(BUDGET);
      const get = `curl -sS -m 5 -o /dev/null -w '%{http_code}' http://a.test:${port}/`;
      const codes = async (): Promise<string> =>
        (await exec(`for i in 1 2 3 4; do ${get}; echo; done`)).stdout;
      await stage.sub('world', 'close', '--all');
      // Each one carries some hundred bytes.
      while ((await codes()).includes('200\n200'));
      // The budget is written down twice a second.
      await new Promise((resolve) => setTimeout(resolve, 1200));
      await stage.killGateway();
      await start();
      await eventually('it is served again', async () => (await exec('getent hosts a.test')).stdout !== '');
      expect(await codes()).not.toContain('200\n200');
      await stage.decideBy(BUDGET.replace(String(MANY_BYTES), '1000000'));
      expect((await exec(curl())).stdout).toBe('reached');
    });

    it('of a server is served again, and so is that of an agent, with its doors', async () => {
      const rogue = ['--', process.execPath, join(KIT, 'rogue-server.mjs')];
      const [command, ...args] = sub(
        ['shim', 'stdio'],
        '--server',
        'rogue',
        '--world',
        '--read',
        KIT,
        ...rogue,
      );
      const client = new Client({ name: 'a-client', version: '1' });
      await client.connect(
        new StdioClientTransport({
          command,
          args,
          cwd: stage.project,
          stderr: 'ignore',
          env: { PATH: '/usr/bin:/bin' },
        }),
      );
      const asked = async (): Promise<string> => {
        const code = `return (await fetch("http://a.test:${port}/")).text()`;
        const { content } = await client.callTool({ name: 'do', arguments: { code } });
        return (content as { text: string }[])[0]?.text ?? '';
      };
      expect(await asked()).toBe('reached');
      const http = String(
        (JSON.parse((await stage.sub('status', '--json')).stdout) as { http: { port: number } }).http.port,
      );
      const said = join(stage.project, 'said');
      writeFileSync(said, '');
      stage.give('said');
      const asker = [process.execPath, join(KIT, 'asks-again.mjs'), stage.home, http, said];
      const [ran, ...words] = sub(
        ['run'],
        '--world',
        '--write-through',
        '--read',
        REPOSITORY,
        '--',
        ...asker,
      );
      const agent = spawn(ran, words, { cwd: stage.project, stdio: 'ignore' });
      const lines = (): readonly string[] => readFileSync(said, 'utf8').trim().split('\n');
      await eventually('the agent has asked', () => lines().includes('success 200'));
      await stage.killGateway();
      await eventually('nobody answers it', () => lines().at(-1) === 'gateway_unreachable none');
      await start();
      await eventually('it is answered again', () => lines().at(-1) === 'success 200');
      await eventually('the server reaches the network again', async () => (await asked()) === 'reached');
      agent.kill('SIGTERM');
      await client.close();
      await eventually('their ends are recorded', () => {
        const ended = stage
          .rows()
          .filter(({ type }) => type === 'world_end')
          .map(({ data }) => data['world_id']);
        const begun = stage
          .rows()
          .filter(
            ({ type, data }) =>
              type === 'world_begin' && (data['has_door'] === true || data['server_name'] === 'rogue'),
          );
        return begun.length === 4 && begun.every(({ data }) => ended.includes(data['world_id']));
      });
    });

    it('ends an agent there if its hooks could be answered by another program', async () => {
      const http = String(
        (JSON.parse((await stage.sub('status', '--json')).stdout) as { http: { port: number } }).http.port,
      );
      const takesIt = `import socket, time
while True:
  try:
    s = socket.create_server(("127.0.0.1", ${http})); break
  except OSError: time.sleep(0.02)
time.sleep(300)`;
      const [program, ...words] = sub(['run'], '--world', '--', 'python3', '-c', takesIt);
      const agent = spawn(program, words, { cwd: stage.project, stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      agent.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
      const over = new Promise((resolve) => agent.once('exit', resolve));
      const begun = (): boolean =>
        stage
          .rows()
          .some(
            ({ type, data }) =>
              type === 'world_begin' && data['has_door'] === true && !ended(data['world_id']),
          );
      const ended = (id: unknown): boolean =>
        stage.rows().some(({ type, data }) => type === 'world_end' && data['world_id'] === id);
      await eventually('the agent is there', begun);
      await new Promise((resolve) => setTimeout(resolve, 1000));
      await stage.killGateway();
      await new Promise((resolve) => setTimeout(resolve, 500));
      await start();
      await over;
      expect(said).toContain('sub: the world ends, since no gateway serves it: ');
      const id = stage
        .rows()
        .findLast(({ type, data }) => type === 'world_begin' && data['has_door'] === true)?.data['world_id'];
      expect(
        stage.rows().find(({ type, data }) => type === 'world_end' && data['world_id'] === id)?.data,
      ).toMatchObject({ exact: expect.anything() as unknown });
    });
  });
});
