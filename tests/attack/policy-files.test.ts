import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { runSub } from '../harness/sub.js';

const root = mkdtempSync(join(tmpdir(), 'policy-files-'));
const repository = join(root, 'repository');
const TOKEN = `ghp_${'a1B2c3D4'.repeat(4)}abcd`;
beforeEach(() => {
  rmSync(root, { recursive: true });
  mkdirSync(repository, { recursive: true });
  writeFileSync(join(root, 'netrc'), 'machine host.example login ada password plain-secret\n');
});
afterAll(() => rmSync(root, { recursive: true }));

const at = (name: string): string => join(repository, name);
const test = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await runSub(['policy', 'test', ...args]);
  expect(code).not.toBe(0);
  return stdout + stderr;
};

describe('`sub policy test` shows nothing of a file outside of the folder that it was given', () => {
  it.each([
    ['a test names', () => writeFileSync(at('x.test.yaml'), 'policy: ../netrc\ncases: []\n')],
    [
      'a test names by its whole path',
      () => writeFileSync(at('x.test.yaml'), 'policy: /proc/self/environ\ncases: []\n'),
    ],
    [
      'a policy is a link to',
      () => {
        writeFileSync(at('x.test.yaml'), 'cases: []\n');
        symlinkSync('../netrc', at('x.yaml'));
      },
    ],
  ])('that %s', async (_way, make) => {
    make();
    for (const args of [[at('x.test.yaml')], [repository, '--json'], [repository, '--tap']]) {
      const printed = await test(...args);
      expect(printed).toContain('it is not below');
      expect(printed).not.toMatch(/machine|plain-secret|PATH=/);
    }
  });

  it('that the test itself is a link to', async () => {
    symlinkSync('../netrc', at('x.test.yaml'));
    expect(await test(at('x.test.yaml'))).not.toContain('machine');
  });
});

it('a file that is too large is not read', async () => {
  writeFileSync(at('x.test.yaml'), 'cases: []\n');
  writeFileSync(at('x.yaml'), '');
  truncateSync(at('x.yaml'), 2 ** 40);
  expect(await test(at('x.test.yaml'))).toContain('it is larger than 16777216 bytes');
});

it.each([
  ['a token in a line', `policy_id: p\n"${TOKEN}": 1\n`],
  ['a token in a line of another mistake', `policy_id: p\nrulez: "${TOKEN}"\n`],
])('mistakes are shown without %s', async (_what, text) => {
  writeFileSync(at('x.yaml'), text);
  writeFileSync(at('x.test.yaml'), `policy: x.yaml\ncases: []\n`);
  for (const args of [
    ['test', repository],
    ['test', repository, '--json'],
    ['test', repository, '--tap'],
    ['lint', at('x.yaml')],
    ['lint', at('x.yaml'), '--json'],
  ]) {
    const { stdout, stderr } = await runSub(['policy', ...args]);
    expect(stdout + stderr).toMatch(/\/x\.(?:test\.)?yaml/);
    expect(stdout + stderr).not.toContain(TOKEN);
  }
});
