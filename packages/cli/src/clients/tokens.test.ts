import { expect, it } from 'vitest';
import type { ServerEntry } from './client.js';
import { tokenLine, tokensIn } from './tokens.js';

const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

it('a secret that is written out is one, whatever names it, and a reference to one is none', () => {
  expect(
    tokensIn([
      ['GITHUB_TOKEN', GITHUB],
      ['GH', GITHUB],
      ['DB_PASSWORD', 'hunter2!'],
      ['API_KEY', '${API_KEY}'],
      ['TOKEN', '$TOKEN'],
      ['SECRET', '${input:secret}'],
      ['PASSWORD', ''],
      ['LOG_LEVEL', 'debug'],
      ['ROOT', '/home/dev/work'],
    ]),
  ).toEqual(['GITHUB_TOKEN', 'GH', 'DB_PASSWORD']);
});

it('a server is named with its variables and how they get out of the file, without a value', () => {
  const entry: ServerEntry = {
    client: 'claude',
    file: { path: '/home/dev/.claude.json', scope: 'user' },
    scope: 'user',
    name: 'tok',
    pointer: ['mcpServers', 'tok'],
    kind: 'stdio',
    envKeys: ['GITHUB_TOKEN', 'B'],
    tokens: ['GITHUB_TOKEN'],
  };
  expect(tokenLine(entry)).toBe(
    '`tok` has GITHUB_TOKEN in a file that the agent can read: `sub secrets add github_token`, `sub secrets bind tok --as GITHUB_TOKEN --ref github_token`',
  );
  expect(tokenLine({ ...entry, tokens: ['A', 'B', 'C', 'D', 'E'] })).toContain('has A, B, C and 2 more in');
  expect(tokenLine({ ...entry, tokens: [] })).toBeUndefined();
});
