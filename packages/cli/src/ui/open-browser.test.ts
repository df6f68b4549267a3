import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { forgetAddress, openBrowser } from './open-browser.js';

const ADDRESS = 'http://0123456789abcdef.localhost:23928/#code';
const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sub-opens-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('a browser is led to the page by a file that only its user reads, and not by an argument', async () => {
  const home = homePaths(root);
  mkdirSync(home.runDir);
  const given = join(root, 'given');
  writeFileSync(
    join(root, opener),
    `#!/bin/sh\nprintf '%s' "$*" > '${given}.new'; mv '${given}.new' '${given}'\n`,
  );
  chmodSync(join(root, opener), 0o755);
  expect(openBrowser(home, ADDRESS, { DISPLAY: ':0', PATH: `${root}:/usr/bin:/bin` })).toBe(true);
  await vi.waitFor(() => expect(existsSync(given)).toBe(true), { timeout: 20_000 });
  const file = join(home.runDir, 'page.html');
  expect(readFileSync(given, 'utf8')).toBe(file);
  expect(readFileSync(file, 'utf8')).toContain(`url=${ADDRESS}"`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  forgetAddress(home);
  expect(existsSync(file)).toBe(false);
});

it('without a program that opens one nothing is written', () => {
  const home = homePaths(root);
  mkdirSync(home.runDir);
  expect(openBrowser(home, ADDRESS, { DISPLAY: ':0', PATH: root })).toBe(false);
  expect(existsSync(join(home.runDir, 'page.html'))).toBe(false);
});
