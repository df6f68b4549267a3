import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { runSub } from '../harness/resident.js';

const root = mkdtempSync(join(tmpdir(), 'policy-links-'));
const repository = join(root, 'repository');
const kept = join(root, 'kept');
beforeEach(() => {
  rmSync(root, { recursive: true });
  mkdirSync(repository, { recursive: true });
  writeFileSync(kept, 'kept');
});
afterAll(() => rmSync(root, { recursive: true }));

const at = (name: string): string => join(repository, name);
const sub = (...args: string[]) => runSub([...args, '--home', join(root, 'home')]);

it.each([
  ['policy.schema.json', []],
  ['policy.schema.json', ['--force']],
  ['policy.test.yaml', ['--force']],
  ['policy.yaml', ['--force']],
])('`sub policy init` writes nothing through a link at `%s` (%j)', async (name, flags) => {
  symlinkSync(kept, at(name));
  const { code, stderr } = await sub('policy', 'init', 'observe-everything', at('policy.yaml'), ...flags);
  expect([code, stderr]).toEqual([1, expect.stringContaining('it is a link')]);
  expect(readFileSync(kept, 'utf8')).toBe('kept');
});

it.each(['policy.test.yaml', 'policy.yaml'])(
  'nor to where a link at `%s` leads that leads nowhere',
  async (name) => {
    symlinkSync(join(root, 'missing'), at(name));
    const { code } = await sub('policy', 'init', 'observe-everything', at('policy.yaml'));
    expect([code, existsSync(join(root, 'missing'))]).toEqual([1, false]);
  },
);

it('`sub policy sign` writes nothing through a link', async () => {
  expect(await sub('policy', 'init', 'observe-everything', at('policy.yaml'))).toMatchObject({ code: 0 });
  expect(await sub('policy', 'keygen', join(root, 'key'))).toMatchObject({ code: 0 });
  symlinkSync(kept, at('policy.yaml.sig.new'));
  const signed = await sub('policy', 'sign', at('policy.yaml'), '--key', join(root, 'key'));
  expect(signed).toMatchObject({ code: 0 });
  expect(readFileSync(kept, 'utf8')).toBe('kept');
  expect(readFileSync(at('policy.yaml.sig'), 'utf8')).not.toBe('');
});
