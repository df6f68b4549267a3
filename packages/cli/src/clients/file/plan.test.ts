import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPlace, type Place } from '../../../testing/place.js';
import { claude } from '../claude/client.js';
import type { ClientFile, Routing } from '../client.js';
import { cursor } from '../cursor/client.js';
import { planEntries, type Planned } from './plan.js';

let place: Place;
beforeEach(() => {
  place = createPlace('plan');
});
afterEach(() => {
  place.remove();
});

const FILE: ClientFile = { path: '/f', scope: 'user' };

function planned(
  servers: object,
  how: Partial<Routing> = {},
  servers_: readonly string[] = [],
): readonly Planned[] {
  return planEntries(claude.read(FILE, JSON.stringify({ mcpServers: servers })), {
    client: claude,
    where: place.where,
    how: { ...place.how, ...how },
    selection: { scopes: new Set(['user']), servers: servers_ },
    forbids: () => undefined,
  });
}

const why = (servers: object, how: Partial<Routing> = {}): string | undefined =>
  planned(servers, how)[0]?.why;

describe('what becomes of an entry', () => {
  it('is told of those that are asked for alone', () => {
    const servers = { a: { command: 'a' }, b: { command: 'b' } };
    expect(planned(servers, {}, ['b']).map(({ entry }) => entry.name)).toEqual(['b']);
  });

  it('is that it stays, where it only looks like one that is routed', () => {
    const args = ['--require', './evil.js', '/sub.mjs', 'shim', 'stdio', '--server', 'a', '--', 'x'];
    const [one] = planned({ a: { command: '/node', args } });
    expect(one).toMatchObject({ becomes: 'left', why: expect.stringContaining('only looks like') });
  });

  it('is that it stays, where the gateway does not listen for remote servers', () => {
    const { http: _http, ...without } = place.how;
    const reading = claude.read(
      FILE,
      '{"mcpServers": {"a": {"type": "http", "url": "https://h/mcp"}, "b": {"command": "b"}}}',
    );
    const planning = {
      client: claude,
      where: place.where,
      how: without,
      selection: { scopes: new Set(['user'] as const), servers: [] },
      forbids: () => undefined,
    };
    expect(planEntries(reading, planning).map(({ becomes }) => becomes)).toEqual(['left', 'routed']);
    expect(planEntries(reading, { ...planning, noRemote: 'because' })[0]?.why).toBe('because');
  });

  it('is that a remote one stays where the gateway cannot tell whose a connection is, or others have the file', () => {
    const text = '{"mcpServers": {"a": {"type": "http", "url": "https://h/mcp"}}}';
    const reasonOf = (platform: NodeJS.Platform, file: ClientFile): string | undefined =>
      planEntries(claude.read(file, text), {
        client: claude,
        where: { ...place.where, platform },
        how: place.how,
        selection: { scopes: new Set(['user', 'project']), servers: [] },
        forbids: () => undefined,
      })[0]?.why;
    expect(reasonOf('linux', FILE)).toBeUndefined();
    expect(reasonOf('darwin', FILE)).toContain('which process a connection over HTTP belongs to');
    expect(reasonOf('linux', { ...FILE, scope: 'project' })).toContain('the token of your gateway');
  });

  it.each(['*', '-x', '--'])(
    'is that it stays where its variable is named %s: no option may come of it',
    (name) => {
      expect(why({ a: { command: 'a', env: { [name]: '1' } } })).toContain('no name of a variable');
    },
  );

  it('is that it stays where the client would replace what we write', () => {
    expect(why({ 'a${HOME}': { command: 'a' } })).toBe(
      'its name has characters that the client would replace',
    );
    expect(why({ a: { command: 'a' } }, { home: '/home/$USER/x' })).toContain('the path of the home');
    expect(why({ a: { command: 'a' } }, { node: '/opt/{env:X}/node' })).toContain('the path of node');
    expect(why({ a: { command: 'a' } }, { program: '/opt/\u0007/sub.mjs' })).toContain('the path of `sub`');
  });
});

describe('the variables of an entry', () => {
  it('are passed on by name: its own, and those of its file', async () => {
    place.write('user/x.env', 'ONE=1\nexport TWO = "2"\n#THREE=3\nnot a line\nFOUR.A=4');
    const path = place.write(
      'user/.cursor/mcp.json',
      JSON.stringify({
        mcpServers: { a: { command: 'a', env: { OWN: '0', ONE: '1' }, envFile: '~/x.env' } },
      }),
    );
    const file: ClientFile = { path, scope: 'user' };
    const done = await place.import(cursor, file);
    const [entry] = cursor.read(file, done?.after ?? '').entries;
    const args = entry?.args ?? [];
    const passed = args.flatMap((arg, index) => (arg === '--pass' ? [args[index + 1]] : []));
    expect(passed).toEqual(['OWN', 'ONE', 'TWO', 'FOUR.A']);
    expect(args.slice(args.indexOf('--'))).toEqual(['--', 'a']);
  });
});
