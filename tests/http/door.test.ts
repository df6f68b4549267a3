import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { isJsonObject, type JsonObject } from '@subluminal/core-types';
import { describe, expect, it } from 'vitest';
import { runSub } from '../harness/resident.js';
import { after, start, type TestGateway } from '../gateway/harness.js';

async function ask(
  world: TestGateway,
  action: 'http.listen' | 'http.stop' | 'http.status' | 'gateway.status',
): Promise<JsonObject> {
  const operator = await world.operator();
  const { data, error } = await operator.request(action, {});
  operator.close();
  if (data === undefined || !isJsonObject(data)) throw new Error(error?.message ?? 'no answer');
  return data;
}

function taken(): Promise<{ server: Server; port: number }> {
  return new Promise((resolve) => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({ server, port: typeof address === 'object' && address !== null ? address.port : 0 });
    });
    after(() => void server.close());
  });
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    after(() => void socket.destroy());
  });
}

describe('the door for HTTP', () => {
  it('is closed until the operator asks for it, and keeps its port and its token over a restart', async () => {
    const world = await start();
    expect(await ask(world, 'http.status')).toEqual({
      listening: false,
      port: null,
      problem: null,
      sessions: 0,
      exchanges: 0,
    });
    const { port, enrol_token: token } = await ask(world, 'http.listen');
    expect(token).toMatch(/^sube_[A-Za-z0-9_-]{43}$/);
    expect(await accepts(Number(port))).toBe(true);
    expect(await ask(world, 'http.listen')).toEqual({ port, enrol_token: token });
    await world.restart();
    expect(await accepts(Number(port))).toBe(true);
    expect(await ask(world, 'http.listen')).toEqual({ port, enrol_token: token });
    expect((await ask(world, 'gateway.status'))['http']).toMatchObject({ listening: true, port });
  });

  it('stays closed over a restart once the operator has closed it, and opens again as it was', async () => {
    const world = await start();
    const opened = await ask(world, 'http.listen');
    expect(await ask(world, 'http.stop')).toMatchObject({ listening: false, port: opened['port'] });
    expect(await accepts(Number(opened['port']))).toBe(false);
    await world.restart();
    expect(await accepts(Number(opened['port']))).toBe(false);
    expect(await ask(world, 'http.listen')).toEqual(opened);
  });

  it('records that it was opened, and not its token', async () => {
    const world = await start();
    const { port, enrol_token: token } = await ask(world, 'http.listen');
    const recorded = JSON.stringify(world.rows());
    expect(recorded).toContain(`"detail":{"port":${JSON.stringify(port)}}`);
    expect(recorded).not.toContain(JSON.stringify(token).slice(1, -1));
  });

  it('takes the port of the configuration, and keeps no gateway from starting when somebody else has it', async () => {
    const { server, port } = await taken();
    await new Promise((resolve) => server.close(resolve));
    const world = await start({ config: `[http]\nport = ${port}\n` });
    expect(await ask(world, 'http.listen')).toMatchObject({ port });
    await world.gateway.stop('test');
    const other = createServer(() => undefined);
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.1', resolve));
    after(() => void other.close());
    await world.restart();
    expect(await ask(world, 'http.status')).toMatchObject({
      listening: false,
      port,
      problem: expect.stringMatching(/^cannot listen on 127\.0\.0\.1:\d+: EADDRINUSE/),
    });
    const { home } = world.paths;
    expect((await runSub(['status', '--home', home])).stdout).toMatch(
      /^remote +cannot listen on 127\.0\.0\.1:/m,
    );
    expect((await runSub(['doctor', '--home', home])).stdout).toContain('remote MCP servers are not reached');
    expect((await runSub(['up', '--home', home])).stderr).toMatch(
      /^hooks and remote servers of clients are not reached: cannot listen on 127\.0\.0\.1:/m,
    );
    await new Promise((resolve) => other.close(resolve));
    expect(await ask(world, 'http.listen')).toMatchObject({ port });
    expect(await ask(world, 'http.status')).toMatchObject({ listening: true, problem: null });
    const told = (await runSub(['status', '--home', home])).stdout;
    expect(told).toContain(`servers through 127.0.0.1:${port}, 0 sessions, 0 requests open`);
  });
});
