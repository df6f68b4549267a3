import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readVerifierKey, sha256Hex } from '@subluminal/core-types';
import { openSignature } from '@subluminal/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSub, type Finished } from '../harness/sub.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-gov-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const sub = (...args: readonly string[]): Promise<Finished> =>
  runSub(['policy', ...args, '--home', join(folder, 'home')], { cwd: folder });
const value = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
  JSON.parse((await sub(...args, '--json')).stdout) as Record<string, unknown>;
const file = (name: string): string => join(folder, name);

const GOOD = `policy_id: team
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-rm
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: ["rm", "r[m]"] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: no }
`;
const BAD = GOOD.replace('kind: deny', 'kind:\tdenny');

describe('sub policy lint', () => {
  it('shows the line of each mistake with a caret under it, and what is allowed there', async () => {
    writeFileSync(file('bad.yaml'), BAD);
    const { code, stdout } = await sub('lint', 'bad.yaml');
    expect(code).toBe(1);
    expect(stdout).toBe(
      `bad.yaml:8:11: error[unknown_kind]: \`denny\` is no kind of rule
  |
8 |     kind: denny
  |           ^
  = help: the kinds are \`allow\`, \`deny\`, \`budget\`, \`rate_limit\`, \`breaker\`, \`dedupe\`, \`tag\`
invalid: 1 error, 0 warnings; it would not load
`,
    );
  });

  it('checks several files, and fails where one of them would not load', async () => {
    writeFileSync(file('good.yaml'), GOOD);
    writeFileSync(file('bad.yaml'), BAD);
    const { code, stdout } = await sub('lint', 'good.yaml', 'bad.yaml', '--json');
    expect(code).toBe(1);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toMatchObject([
      { file: 'good.yaml', ok: true },
      { file: 'bad.yaml', ok: false, problems: [{ line: 8, column: 11 }] },
    ]);
    expect((await sub('lint', 'good.yaml', 'good.yaml')).code).toBe(0);
  });

  it('shows a part of a long line, without what could act on a terminal', async () => {
    writeFileSync(
      file('bad.yaml'),
      GOOD.replace('message: no', `message: "${'x\u200b'.repeat(90)}", more: 1`),
    );
    const { stdout } = await sub('lint', 'bad.yaml');
    const [, , line = '', caret = ''] = stdout.split('\n');
    expect(line.length).toBeLessThan(120);
    expect(line.startsWith('12 | …')).toBe(true);
    expect(line.slice(caret.indexOf('^')).startsWith('more')).toBe(true);
    expect(stdout).not.toContain('\u200b');
  });
});

describe('sub policy compile', () => {
  it('writes the normal form, with every default and globs as they are read; its SHA-256 is the policy_hash', async () => {
    writeFileSync(file('good.yaml'), GOOD);
    const compiled = await value('compile', 'good.yaml', '-o', 'out.json');
    const written = readFileSync(file('out.json'), 'utf8');
    expect(JSON.parse(written)).toEqual(compiled['bundle']);
    expect(compiled['bundle']).toMatchObject({
      defaults: { decision_on_error: 'BLOCK', fail_open_read_tools: false, no_match: 'ALLOW' },
      rules: [{ match: { tool_name: { glob: ['r[m]', 'rm'] } } }],
    });
    expect(sha256Hex(written)).toBe(compiled['policy_hash']);
    expect(await value('compile', 'out.json')).toMatchObject({ policy_hash: compiled['policy_hash'] });
    const { code, stdout, stderr } = await sub('compile', 'good.yaml');
    expect([code, stdout, stderr]).toEqual([
      0,
      `${written}\n`,
      `policy_hash ${String(compiled['policy_hash'])}\n`,
    ]);
  });

  it('replaces no file unless it is told to, and writes none for a policy with a mistake', async () => {
    writeFileSync(file('good.yaml'), GOOD);
    writeFileSync(file('bad.yaml'), BAD);
    writeFileSync(file('out.json'), 'kept');
    expect((await sub('compile', 'good.yaml', '-o', 'out.json')).code).toBe(2);
    expect(readFileSync(file('out.json'), 'utf8')).toBe('kept');
    expect((await sub('compile', 'good.yaml', '-o', 'out.json', '--force')).code).toBe(0);
    const { code, stderr } = await sub('compile', 'bad.yaml', '-o', 'other.json');
    expect([code, existsSync(file('other.json'))]).toEqual([1, false]);
    expect(stderr).toContain('bad.yaml:8:11: error[unknown_kind]');
  });
});

describe('sub policy keygen and sign', () => {
  it('make a key that only its user can read, and a signature that its public half opens', async () => {
    writeFileSync(file('good.yaml'), GOOD);
    const made = await sub('keygen', 'alice.key');
    expect([made.code, statSync(file('alice.key')).mode & 0o777]).toEqual([0, 0o600]);
    const key = readVerifierKey(made.stdout.trimEnd());
    if (key === undefined) throw new Error('no key');
    expect(key.name).toBe('alice');
    const signed = await value('sign', 'good.yaml', '--key', 'alice.key', '--serial', '4102444800');
    expect(signed).toMatchObject({ signer: 'alice', policy_id: 'team', version: '1', serial: 4_102_444_800 });
    expect(openSignature(readFileSync(file('good.yaml.sig'), 'utf8'), [key])).toMatchObject({
      signer: 'alice',
      serial: 4_102_444_800,
      file_sha256: sha256Hex(GOOD),
    });
    const again = await value('sign', 'good.yaml', '--key', 'alice.key');
    expect(again['serial']).toBe(4_102_444_801);
  });

  it('never replace a key, and use none that others can read', async () => {
    writeFileSync(file('good.yaml'), GOOD);
    expect((await sub('keygen', 'a.key', '--name', 'ops@example.com')).stdout).toMatch(/^ops@example\.com\+/);
    const before = readFileSync(file('a.key'), 'utf8');
    expect((await sub('keygen', 'a.key')).code).toBe(2);
    expect(readFileSync(file('a.key'), 'utf8')).toBe(before);
    chmodSync(file('a.key'), 0o640);
    const { code, stderr } = await sub('sign', 'good.yaml', '--key', 'a.key');
    expect([code, existsSync(file('good.yaml.sig'))]).toEqual([1, false]);
    expect(stderr).toContain('chmod 600 a.key');
  });

  it('sign nothing that would not load, and no file that reads differently from its bytes', async () => {
    await sub('keygen', 'a.key');
    writeFileSync(file('bad.yaml'), BAD);
    writeFileSync(file('bom.yaml'), `\u{feff}${GOOD}`);
    expect((await sub('sign', 'bad.yaml', '--key', 'a.key')).code).toBe(1);
    expect((await sub('sign', 'bom.yaml', '--key', 'a.key')).code).not.toBe(0);
    expect([existsSync(file('bad.yaml.sig')), existsSync(file('bom.yaml.sig'))]).toEqual([false, false]);
  });
});
