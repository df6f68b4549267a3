import { expect, test } from 'vitest';
import { programOf } from './program.js';

test.each([
  [
    ['npx', '-y', 'server-fs', '/a'],
    ['npx', '-y', 'server-fs'],
  ],
  [
    ['node', '/opt/server.js', '--root', '/a'],
    ['node', '/opt/server.js'],
  ],
  [
    ['/usr/bin/python3', 'server.py'],
    ['/usr/bin/python3', 'server.py'],
  ],
  [
    ['pipx', 'run', 'server'],
    ['pipx', 'run', 'server'],
  ],
])('the program of %j is %j', (command, program) => {
  expect(programOf(command)).toEqual(program);
});

test.each([
  [['docker', 'run', 'image']],
  [['node', '--import', 'x', 'server.js']],
  [['node', '-e', 'code']],
  [['npx', '--package', 'a', 'b']],
  [['./server']],
  [['npx']],
  [[]],
])('that of %j cannot be told', (command) => {
  expect(programOf(command)).toBeUndefined();
});
