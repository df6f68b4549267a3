import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { httpWorld, resultOf, sayJson, scripted } from './world.js';

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'drop', arguments: {} } };

/** What a request under that name to that address comes to: the code of a refusal, or `passed`. */
async function outcomes(): Promise<{
  readonly write: (text: string) => void;
  readonly ask: (name: string, url: string) => Promise<string>;
  readonly origin: string;
  readonly got: () => readonly string[];
  readonly rejected: () => readonly unknown[];
}> {
  const world = await httpWorld();
  const server = await scripted((got, response) => {
    if (got.url === '/elsewhere') response.writeHead(307, { location: '/Issues/?x=1' }).end();
    else if (got.url === '/own') response.writeHead(307, { location: '/own/' }).end();
    else sayJson(response, resultOf(got, { content: [] }));
  });
  return {
    write: (text) => writeFileSync(world.gateway.paths.config, text, { mode: 0o600 }),
    ask: async (name, url) => {
      const answer = (await world.post(url, CALL, { name })).json();
      const error = answer['error'] as { readonly data?: { readonly code?: string } } | undefined;
      return error === undefined ? 'passed' : (error.data?.code ?? 'no code');
    },
    origin: new URL(server.url).origin,
    got: () => server.got.map(({ url }) => url),
    rejected: () =>
      world.gateway
        .rows('action_rejected')
        .map(({ data }) => [data['action'], data['stage'], data['destination']]),
  };
}

describe('a remote server that has its address in config.toml', () => {
  it('is reached there under its own name alone, however the address is spelled, and nowhere else', async () => {
    const { write, ask, origin, got, rejected } = await outcomes();
    write(
      `[servers.issues]\nurl = "${origin}/issues"\n[servers.wiki]\nurl = ["${origin}/wiki", "${origin}/w?v=2"]\n`,
    );
    const asked: Record<string, string> = {};
    for (const [name, path] of [
      ['issues', '/issues'],
      ['wiki', '/wiki'],
      ['wiki', '/w?v=2'],
      ['other', '/other'],
      // Another address under a name that has one.
      ['issues', '/other'],
      ['issues', '/issues?key=1'],
      ['issues', '/issues/'],
      ['issues', '/wiki'],
      ['wiki', '/w'],
      // An address of another name, as it is and as servers take it to be.
      ...[
        '/issues',
        '/issues?x=1',
        '/issues/',
        '//issues',
        '/Issues',
        '/issues;v=1',
        '/%69ssues',
        '/%2569ssues',
        '/x/../issues',
        '/x/%2e%2e/issues',
        '/x%2f..%2fissues',
        '/x/..%5cissues',
        '/./issues/.',
        '/issues/%2e/',
        '/w?v=3',
      ].map((spelled) => ['other', spelled] as const),
      ['Issues', '/issues'],
      ['wiki', '/issues'],
    ] as const)
      asked[`${name} ${path}`] = await ask(name, `${origin}${path}`);
    const passed = Object.entries(asked).flatMap(([what, code]) => (code === 'passed' ? [what] : []));
    expect(passed).toEqual(['issues /issues', 'wiki /wiki', 'wiki /w?v=2', 'other /other']);
    expect([...new Set(Object.values(asked))]).toEqual(['passed', 'not_allowed']);
    expect(got()).toEqual(['/issues', '/wiki', '/w?v=2', '/other']);
    expect(rejected()).toHaveLength(Object.keys(asked).length - 4);
    expect(rejected()).toContainEqual(['http.reach', 'allowlist', origin]);
  });

  it('is reached under either of two names that have it, and under no third', async () => {
    const { write, ask, origin } = await outcomes();
    write(`[servers.one]\nurl = "${origin}/a"\n[servers.two]\nurl = "${origin}/a"\n`);
    const asked = await Promise.all(['one', 'two', 'three'].map((name) => ask(name, `${origin}/a`)));
    expect(asked).toEqual(['passed', 'passed', 'not_allowed']);
  });

  it('is not reached over a redirect under another name, and may redirect on itself', async () => {
    const { write, ask, origin, got } = await outcomes();
    write(`[servers.issues]\nurl = "${origin}/issues"\n[servers.own]\nurl = "${origin}/own"\n`);
    expect(await ask('other', `${origin}/elsewhere`)).toBe('not_allowed');
    expect(await ask('own', `${origin}/own`)).toBe('passed');
    expect(got()).toEqual(['/elsewhere', '/own', '/own/']);
  });

  it('has the address that the file says now, and none while the file has a mistake', async () => {
    const { write, ask, origin } = await outcomes();
    const urls = ['/a', '/b', '/c', '/d'].map((path) => `${origin}${path}`) as [
      string,
      string,
      string,
      string,
    ];
    expect(await ask('one', urls[0])).toBe('passed');
    write(`[servers.two]\nurl = "${urls[1]}"\n`);
    expect([await ask('one', urls[1]), await ask('two', urls[1])]).toEqual(['not_allowed', 'passed']);
    write(`[servers.two]\nurl = "${urls[2]}"\nunknown = 1\n`);
    expect([await ask('two', urls[2]), await ask('one', urls[2])]).toEqual([
      'config_invalid',
      'config_invalid',
    ]);
    write('');
    expect(await ask('one', urls[3])).toBe('passed');
  });
});
