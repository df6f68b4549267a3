import { describe, expect, it } from 'vitest';
import { checkNode } from './system.js';

describe('the check of Node', () => {
  it.each(['v20.19.0', 'v20.20.2', 'v22.23.2', 'v24.0.0', 'v24.18.1', 'v25.1.0', 'v26.4.0'])(
    'finds nothing wrong with %s',
    (version) => {
      expect(checkNode(version)).toEqual({ name: 'node', level: 'ok', message: `node ${version}` });
    },
  );

  it.each(['v18.20.0', 'v20.18.3'])('refuses %s: it is too old', (version) => {
    expect(checkNode(version)).toMatchObject({ level: 'fail', message: `node ${version} is too old` });
  });

  it('warns of what was never tested', () => {
    expect(checkNode('v27.0.0')).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('v27.0.0'),
    });
  });

  it.each(['v24.19.0', 'v24.20.0', 'v24.31.4'])('warns that %s may abort, and says what to do', (version) => {
    expect(checkNode(version)).toEqual({
      name: 'node',
      level: 'warn',
      message: `node ${version}: an add-on that is compiled against its headers can abort the process, and SQLite's is one`,
      help: 'use node 20, 22, or 24 up to 24.18, and run `npm rebuild better-sqlite3` under it',
    });
  });
});
