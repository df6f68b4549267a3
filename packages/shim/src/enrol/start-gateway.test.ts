import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startGateway } from './start-gateway.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'start-'));
  mkdirSync(join(root, 'home'), { mode: 0o700 });
  mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
  writeFileSync(join(root, 'elsewhere', 'gateway.log'), 'theirs', { mode: 0o600 });
});
afterEach(() => rmSync(root, { recursive: true }));

describe('a home that somebody else has filled', () => {
  it.each([
    ['its log is a link', 'logs/gateway.log', 'elsewhere/gateway.log'],
    ['the folder of its log is a link', 'logs', 'elsewhere'],
    ['the folder of its socket is a link', 'run', 'elsewhere'],
  ])('starts nothing, and nothing is opened elsewhere: %s', async (_what, path, target) => {
    const paths = homePaths(join(root, 'home'));
    if (path.startsWith('logs/')) mkdirSync(paths.logsDir, { mode: 0o700 });
    symlinkSync(join(root, target), join(paths.home, path));
    await expect(startGateway({ paths, entry: '/nowhere.js', timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'home_unsafe',
    });
    expect(readdirSync(join(root, 'elsewhere'))).toEqual(['gateway.log']);
    expect(readFileSync(join(root, 'elsewhere', 'gateway.log'), 'utf8')).toBe('theirs');
  });
});
