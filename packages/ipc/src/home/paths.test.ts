import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { assertHome, assertSocketPath, homeExists } from './check.js';
import { defaultHome, homePaths } from './paths.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'home-'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the paths of a home', () => {
  test('stand below it', () => {
    expect(homePaths('/h', 'linux')).toEqual({
      home: '/h',
      layersDir: '/h/layers',
      awayDir: '/h/run/away',
      trustDir: '/h/run/trust',
      agentDoorsDir: '/h/run/w',
      socket: '/h/run/gateway.sock',
      stateHome: '/h/state-home',
      ledgerDb: '/h/ledger.db',
      gatewayDb: '/h/gateway.db',
      config: '/h/config.toml',
      policy: '/h/policy.yaml',
      keysDir: '/h/keys',
      operatorKey: '/h/keys/operator',
      enrolKey: '/h/keys/enrol',
      logKey: '/h/keys/log',
      sealKey: '/h/keys/seal',
      panicMark: '/h/panicked',
      asideMark: '/h/setting-aside',
      runDir: '/h/run',
      gatewayFile: '/h/run/gateway.json',
      ticketsDir: '/h/run/tickets',
      hooksDir: '/h/run/hooks',
      worldsDir: '/h/run/worlds',
      launcher: '/h/sub',
      logsDir: '/h/logs',
      gatewayLog: '/h/logs/gateway.log',
    });
  });

  test('are absolute', () => {
    expect(homePaths('here').home).toBe(join(process.cwd(), 'here'));
  });

  test('have a pipe of their own on Windows, the same for both cases of letters', () => {
    const { socket } = homePaths('/Home', 'win32');
    expect(socket).toMatch(/^\\\\\.\\pipe\\subluminal-[0-9a-f]{32}$/);
    expect(homePaths('/home', 'win32').socket).toBe(socket);
    expect(homePaths('/other', 'win32').socket).not.toBe(socket);
  });

  test('begin in the folder that the system knows for the user, whatever HOME says', () => {
    const before = process.env['HOME'];
    process.env['HOME'] = root;
    try {
      expect(defaultHome()).toBe(join(userInfo().homedir, '.subluminal'));
      expect(defaultHome().startsWith(root)).toBe(false);
    } finally {
      process.env['HOME'] = before;
    }
  });
});

describe('a home', () => {
  test('may be missing, which is told apart from one that is unsafe', () => {
    const paths = homePaths(join(root, 'missing'));
    expect(homeExists(paths)).toBe(false);
    expect(() => assertHome(paths)).toThrow(expect.objectContaining({ code: 'home_missing' }));
  });

  test('that others may write to is unsafe', () => {
    const paths = homePaths(join(root, 'home'));
    mkdirSync(paths.home, { mode: 0o700 });
    expect(homeExists(paths)).toBe(true);
    chmodSync(paths.home, 0o770);
    expect(() => homeExists(paths)).toThrow(expect.objectContaining({ code: 'home_unsafe' }));
  });

  test.skipIf(process.getuid?.() !== 0)('of another user is unsafe, and the way out is told', () => {
    const paths = homePaths(join(root, 'theirs'));
    mkdirSync(paths.home, { mode: 0o700 });
    chownSync(paths.home, 65_534, 65_534);
    expect(() => homeExists(paths)).toThrow(
      expect.objectContaining({
        code: 'home_unsafe',
        message: `\`${paths.home}\` belongs to another user`,
        help: 'run this as that user, or name a home of your own with `--home`',
      }),
    );
  });

  test('that is a file is unsafe, and one behind a link is taken', () => {
    writeFileSync(join(root, 'file'), '');
    expect(() => homeExists(homePaths(join(root, 'file')))).toThrow(
      expect.objectContaining({ code: 'home_unsafe' }),
    );
    mkdirSync(join(root, 'real'), { mode: 0o700 });
    symlinkSync(join(root, 'real'), join(root, 'link'));
    expect(homeExists(homePaths(join(root, 'link')))).toBe(true);
  });
});

test('a socket path of 100 bytes is taken, a longer one is not', () => {
  expect(() => assertSocketPath(`/${'a'.repeat(99)}`, 'linux')).not.toThrow();
  expect(() => assertSocketPath(`/${'ä'.repeat(50)}`, 'linux')).toThrow(
    expect.objectContaining({ code: 'path_too_long' }),
  );
  expect(() => assertSocketPath(`/${'a'.repeat(300)}`, 'win32')).not.toThrow();
});
