import { NO_KEYS, type Place, readCall } from '@subluminal/readings';
import { describe, expect, it } from 'vitest';
import { isolationOf } from './isolation.js';

const PLACE: Place = { cwd: ['/srv/shop'], home: '/home/u', tmp: '/tmp', project: '/srv/shop' };
const isolation = (patterns: readonly string[], ...command: readonly string[]): string | undefined =>
  isolationOf(
    patterns,
    readCall({ server: 'world', tool: 'exec', args: { command: [...command] }, keys: NO_KEYS }, PLACE),
  );
const PIP = ['pip install *', 'npm install *'];

describe('a command is isolated', () => {
  it.each([
    [['pip', 'install', 'x']],
    [['/usr/bin/pip', 'install', 'x']],
    [['env', 'A=1', 'pip', 'install', 'x']],
    [['sudo', 'pip', 'install', 'x']],
    [['sh', '-c', 'cd sub && pip install x']],
    [['bash', '-lc', '"pip" in"stall" x']],
    [['sh', '-c', 'sh -c "pip install x"']],
    [['nice', '-n', '5', 'timeout', '9', 'pip', 'install', 'x']],
    [['sh', '-c', 'true | xargs pip install x']],
  ])('that fits a pattern: %j', (command) => {
    expect(isolation(PIP, ...command)).toBe('`pip install *`');
  });

  it.each([[['sh', '-c', 'pip $X foo']], [['sh', '-c', '$X install foo']]])(
    'that may fit it, which only run time knows: %j',
    (command) => {
      expect(isolation(PIP, ...command)).toMatch(/^`/);
    },
  );

  it('whose text cannot be read, or is made at run time', () => {
    expect(isolation(PIP, 'sh', '-c', 'if then )')).toMatch(/^it cannot be read: /);
    expect(isolation(PIP, 'sh', '-c', 'cat f | sh')).toBe('it runs text that only run time knows');
  });

  it.each([[['pip', 'list']], [['npm', 'test']], [['echo', 'pip install x']], [['sh', '-c', 'echo $X']]])(
    'and no other: %j',
    (command) => {
      expect(isolation(PIP, ...command)).toBeUndefined();
    },
  );

  it('by no policy that names none', () => {
    expect(isolation([], 'sh', '-c', 'if then )')).toBeUndefined();
  });
});
