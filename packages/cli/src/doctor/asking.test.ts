import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { afterAll, expect, it } from 'vitest';
import { checkAsking } from './asking.js';

const folder = mkdtempSync(join(tmpdir(), 'sub-asking-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const paths = homePaths(folder);
const check = (config: string) => {
  writeFileSync(paths.config, config);
  return checkAsking(paths);
};

it('a home that asks nobody is told of', () => {
  expect(check('')).toMatchObject({ level: 'ok', message: 'people are asked' });
  expect(check('[approvals]\nask = false\n')).toMatchObject({
    level: 'warn',
    message: 'nobody is asked (`[approvals] ask = false`): a rule that asks refuses',
  });
  expect(check('[approvals')).toBeUndefined();
});

it('a program that tells people is one that the gateway would start', () => {
  const program = join(folder, 'tell');
  const told = (path = program) => check(`[approvals]\nnotify = [${JSON.stringify(path)}]\n`)?.message;
  expect(told()).toContain('`[approvals] notify` is not there');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o600 });
  expect(told('tell')).toContain('is not an absolute path');
  expect(told(folder)).toContain('is not a file');
  chmodSync(program, 0o755);
  expect(told()).toBe(`people are asked, and told by \`${program}\``);
  if (process.getuid === undefined) return;
  chmodSync(program, 0o777);
  expect(told()).toContain('can be written by others');
  chmodSync(program, 0o755);
  chmodSync(folder, 0o777);
  expect(told()).toContain('can be written by others');
  chmodSync(folder, 0o700);
});
