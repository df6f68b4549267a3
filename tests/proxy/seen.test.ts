import { expect, it } from 'vitest';
import { runSub } from '../harness/sub.js';
import { ALLOWED, http, Peer, proxyWorld, tcp, tunnel } from './world.js';

it('`sub allow seen` names what no entry lets through as it was asked for, and the entry that would', async () => {
  const world = await proxyWorld();
  const seen = async (): Promise<unknown[]> => {
    await world.settled();
    const { code, stdout } = await runSub(['allow', 'seen', '--json', '--home', world.gateway.paths.home]);
    expect(code).toBe(0);
    const lines = stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const { add, passed, refused } = JSON.parse(line) as Record<string, unknown>;
      return [add, passed, refused];
    });
  };
  await world.allow('secure.example', { protocol: 'https' });
  const port = await http((_request, response) => void response.end('hello'));
  const upstream = await tcp();
  const plainTo = (host: string): Promise<string> =>
    new Peer(world.port)
      .send(
        `GET http://${host}:${port}/ HTTP/1.1\r\nHost: ${host}:${port}\r\nProxy-Authorization: ${world.authorization}\r\n\r\n`,
      )
      .over();
  expect(await seen()).toEqual([]);
  expect(await plainTo(ALLOWED)).toMatch(/ 200 OK/);
  expect(await plainTo('secure.example')).toMatch(/ 403 /);
  expect(await plainTo('new.example')).toMatch(/ 403 /);
  await (await tunnel(world, `${ALLOWED}:${upstream.port}`)).send('SSH-2.0-x\r\n').over();
  expect(await seen()).toEqual([
    [`sub allow add ${ALLOWED}:${upstream.port} --protocol tcp`, 0, 1],
    [`sub allow add new.example:${port}`, 0, 1],
    [`sub allow add secure.example:${port}`, 0, 1],
  ]);
  await world.allow(ALLOWED, { port: upstream.port, protocol: 'tcp' });
  await world.allow('new.example', { port });
  await world.allow('secure.example', { port });
  expect(await seen()).toEqual([]);
  expect(await plainTo('secure.example')).toMatch(/ 200 OK/);
});
