import { expect, it } from 'vitest';
import { elsewhere } from '../gateway/elsewhere.js';
import { runSub } from '../harness/resident.js';
import { ALLOWED, http, Peer, proxyWorld, tcp, tunnel } from './world.js';

it('`sub allow seen` names what no entry lets through as it was asked for, and the entry that would', async () => {
  const world = await proxyWorld({ holder: elsewhere() });
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
    [`sub allow add ${ALLOWED}:${upstream.port} --protocol tcp --private`, 0, 1],
    [`sub allow add new.example:${port}`, 0, 1],
    [`sub allow add secure.example:${port}`, 0, 1],
  ]);
  const home = ['--home', world.gateway.paths.home];
  const nobody = await runSub(['allow', 'seen', '--add', ...home]);
  expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('no terminal to ask at')]);
  const added = await runSub(['allow', 'seen', '--add', '--all', ...home]);
  expect(added.stdout).toContain(`allowed \`new.example:${port}\`\nallowed \`secure.example:${port}\`\n`);
  // A place in this network comes onto the list by its name alone.
  expect(await seen()).toMatchObject([
    [`sub allow add ${ALLOWED}:${upstream.port} --protocol tcp --private`, 0, 1],
  ]);
  await world.allow(ALLOWED, { port: upstream.port, protocol: 'tcp' });
  await world.allow('secure.example', { port });
  expect(await seen()).toEqual([]);
  expect(await plainTo('secure.example')).toMatch(/ 200 OK/);
});

it('in `observe` what leads to private addresses passes, and each line that `sub allow seen` gives for it can be pasted', async () => {
  const world = await proxyWorld({ config: 'mode = "observe"', allowed: [], holder: elsewhere() });
  const port = await http((_request, response) => void response.end('hello'));
  const home = ['--home', world.gateway.paths.home];
  const answer = async (host: string): Promise<string> => {
    const head = `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: ${world.authorization}\r\n\r\n`;
    const text = await new Peer(world.port).send(head).over();
    return /^HTTP\/1\.1 ([0-9]+)/.exec(text)?.[1] ?? text;
  };
  expect(await answer(`inside.example:${port}`)).toBe('200');
  expect(await answer(`127.0.0.1:${port}`)).toBe('200');
  expect(await answer('169.254.169.254')).toBe('403');
  expect(await answer('224.0.0.1')).toBe('403');
  expect(await answer(`127.0.0.1:${world.port}`)).toBe('403');
  await world.settled();
  const seen = await runSub(['allow', 'seen', '--json', ...home]);
  const lines = seen.stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { add: string }).add);
  expect(lines).toEqual([
    `sub allow add 127.0.0.1:${port} --private`,
    `sub allow add inside.example:${port} --private`,
  ]);
  expect(seen.stderr).toContain('1 place refused for an address');
  expect(seen.stderr).toContain(
    `refused, and not offered as no entry of the allowlist leads there: 127.0.0.1:${world.port} (the gateway itself), 224.0.0.1:80 (multicast)\n`,
  );
  for (const line of lines)
    expect(await runSub([...line.split(' ').slice(1), ...home])).toMatchObject({ code: 0 });
  expect((await runSub(['allow', 'seen', ...home])).stdout).toBe(
    'nothing was asked for that could come onto the allowlist\n',
  );
});
