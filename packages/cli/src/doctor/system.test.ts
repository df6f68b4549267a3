import { describe, expect, it } from 'vitest';
import { checkNode, checkOpenFiles } from './system.js';

describe('the check of Node', () => {
  it.each(['v20.19.0', 'v20.20.2', 'v22.23.2', 'v24.0.0', 'v24.21.0', 'v25.1.0', 'v26.4.0'])(
    'finds nothing wrong with %s',
    (version) => {
      expect(checkNode(version)).toEqual({ name: 'node', level: 'ok', message: `node ${version}` });
    },
  );

  it('warns of what was never tested', () => {
    expect(checkNode('v27.0.0')).toMatchObject({
      level: 'warn',
      message: expect.stringContaining('v27.0.0'),
    });
  });
});

describe('the check of open files', () => {
  const limits = (soft: string, hard: string): string =>
    `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             1                    1                    processes \nMax open files            ${soft.padEnd(20)} ${hard.padEnd(20)} files     \n`;

  it.each([
    ['1024', '1048576', '1048576 at most'],
    ['8192', '8192', '8192 at most'],
    ['1024', 'unlimited', 'unlimited at most'],
  ])('finds nothing wrong with %s, and %s at most', (soft, hard, message) => {
    expect(checkOpenFiles(limits(soft, hard))).toEqual({ name: 'open files', level: 'ok', message });
  });

  it('warns of a low limit that the gateway cannot raise', () => {
    expect(checkOpenFiles(limits('1024', '4096'))).toEqual({
      name: 'open files',
      level: 'warn',
      message: 'the gateway may have 4096 files open: it takes fewer connections from agents',
      help: 'raise the hard limit to 8192 or more (`ulimit -Hn` shows it), then run `sub up --restart`',
    });
  });

  it('says nothing where the system does not', () => {
    expect(checkOpenFiles('')).toBeUndefined();
  });
});
