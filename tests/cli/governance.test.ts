import { spawn, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readVerifierKey, sha256Hex } from '@subluminal/core-types';
import { openSignature } from '@subluminal/policy';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { finished, SUB, type Finished } from '../harness/sub.js';

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
  it('waits for standard input as long as its writer takes, and takes no more than 16 MiB of it', async () => {
    const lint = (): ChildProcess =>
      spawn(process.execPath, [SUB, 'policy', 'lint', '-', '--home', file('home')], { cwd: folder });
    const slow = lint();
    setTimeout(() => slow.stdin?.end(GOOD), 1500);
    expect(await finished(slow, 30_000)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ok: `team`'),
    });
    const large = lint();
    large.stdin?.on('error', () => undefined);
    large.stdin?.end('# x\n'.repeat(5_000_000));
    const { code, stderr } = await finished(large, 30_000);
    expect([code, stderr]).toEqual([1, expect.stringContaining('it is larger than 16777216 bytes')]);
  });

  it('shows the line of each mistake with a caret under it, and what is allowed there', async () => {
    writeFileSync(file('bad.yaml'), BAD);
    const { code, stdout } = await sub('lint', 'bad.yaml');
    expect(code).toBe(1);
    expect(stdout).toBe(
      `bad.yaml:8:11: error[unknown_kind]: \`denny\` is no kind of rule
  |
8 |     kind: denny
  |           ^
  = help: the kinds are \`allow\`, \`deny\`, \`ask\`, \`budget\`, \`rate_limit\`, \`breaker\`, \`dedupe\`, \`tag\`
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

describe('sub policy diff', () => {
  const looser = GOOD.replace('version: "1"', 'version: "2"').replace('"rm", "r[m]"', '"rm -rf"');

  it('tells each change with how much it matters, why and whom it concerns', async () => {
    writeFileSync(file('old.yaml'), GOOD);
    writeFileSync(file('new.yaml'), looser);
    const { code, stdout } = await sub('diff', 'old.yaml', 'new.yaml');
    expect(code).toBe(0);
    expect(stdout).toBe(`\`team\` 1 → \`team\` 2, mode guardrails
info      version: \`1\` → \`2\`
          concerns every call; every agent
critical  deny \`no-rm\` matches other calls: tool_name.glob + \`rm -rf\`, - \`r[m]\` \`rm\`
          what it refused may pass; calls that it matches may be refused
          concerns tool \`r[m]\` \`rm\` \`rm -rf\`; every agent
2 changes: 1 critical, 0 warn, 1 info; loosened and tightened
`);
    expect(await value('diff', 'old.yaml', 'new.yaml')).toMatchObject({
      old: { policy_version: '1' },
      new: { policy_version: '2' },
      loosened: true,
      tightened: true,
      critical: 1,
      changes: [{ kind: 'version' }, { kind: 'match', severity: 'critical', rule_id: 'no-rm' }],
    });
  });

  it.each([
    ['critical', GOOD, looser, 3],
    ['loosened', GOOD, looser, 3],
    ['any', GOOD, looser, 3],
    ['critical', GOOD.replace('guardrails', 'observe'), looser.replace('guardrails', 'observe'), 0],
    ['loosened', GOOD.replace('guardrails', 'observe'), looser.replace('guardrails', 'observe'), 3],
    ['loosened', GOOD, GOOD.replace('version: "1"', 'version: "2"'), 0],
    ['any', GOOD, GOOD.replace('version: "1"', 'version: "2"'), 3],
    ['any', GOOD, `# said otherwise\n${GOOD}`, 0],
  ])('with --fail-on %s exits for CI as documented', async (what, old, fresh, code) => {
    writeFileSync(file('old.yaml'), old);
    writeFileSync(file('new.yaml'), fresh);
    expect((await sub('diff', 'old.yaml', 'new.yaml', '--fail-on', what)).code).toBe(code);
  });

  it('compares nothing with a file that would not load', async () => {
    writeFileSync(file('old.yaml'), GOOD);
    writeFileSync(file('bad.yaml'), BAD);
    const { code, stderr } = await sub('diff', 'old.yaml', 'bad.yaml');
    expect(code).toBe(1);
    expect(stderr).toContain('bad.yaml:8:11: error[unknown_kind]');
    expect((await sub('diff', 'old.yaml', 'none.yaml')).code).toBe(1);
  });
});

describe('sub policy test', () => {
  const cases = (expected: string): string => `cases:
  - name: rm is refused
    calls:
      - { call: files/ls, expect: ALLOW }
      - { call: files/rm, expect: ${expected} }
`;

  it('passes where every decision is as expected', async () => {
    writeFileSync(file('team.yaml'), GOOD);
    writeFileSync(file('team.test.yaml'), cases('{ action: BLOCK, rule_id: no-rm }'));
    for (const operand of ['team.yaml', 'team.test.yaml', '.']) {
      const { code, stdout } = await sub('test', operand);
      expect([code, stdout.split('\n').slice(1)]).toEqual([
        0,
        ['  ok    rm is refused (2 calls)', '1 case, 0 failed', ''],
      ]);
    }
  });

  it('shows what was expected, what came out, and what became of every rule', async () => {
    writeFileSync(file('team.yaml'), GOOD);
    writeFileSync(file('team.test.yaml'), cases('{ action: ALLOW, reason_code: FINE }'));
    const { code, stdout } = await sub('test', 'team.yaml');
    expect(code).toBe(1);
    expect(stdout).toBe(`team.test.yaml
  FAIL  rm is refused (line 2)
        call 2: files/rm (line 5)
          action: expected allowed (ALLOW), got refused (BLOCK)
          reason_code: expected FINE, got DENYLIST_MATCH
        no
          no-rm                    deny       refused (DENYLIST_MATCH)
1 case, 1 failed
`);
    expect(await value('test', 'team.yaml')).toMatchObject({
      ok: false,
      cases: 1,
      failed: 1,
      files: [{ cases: [{ ok: false, failures: [{ field: 'action' }, { field: 'reason_code' }] }] }],
    });
    const tap = await sub('test', 'team.yaml', '--tap');
    expect(tap.stdout).toBe(`TAP version 13
1..1
not ok 1 - team.test.yaml: rm is refused
  # call 2: files/rm (line 5): action: expected ALLOW, got BLOCK
  # call 2: files/rm (line 5): reason_code: expected FINE, got DENYLIST_MATCH
`);
    expect(tap.code).toBe(1);
  });

  it('never passes without having tested anything', async () => {
    writeFileSync(file('team.yaml'), GOOD);
    expect((await sub('test', 'team.yaml')).code).toBe(1);
    expect((await sub('test', '.')).code).toBe(1);
    writeFileSync(file('team.test.yaml'), 'cases: []\n');
    expect((await sub('test', 'team.yaml')).code).toBe(1);
    writeFileSync(file('other.test.yaml'), cases('BLOCK'));
    const { code, stderr } = await sub('test', 'other.test.yaml');
    expect([code, stderr.includes('error[policy_missing]')]).toEqual([1, true]);
  });

  it('shows mistakes of the cases, and of the policy, in their places', async () => {
    writeFileSync(file('team.yaml'), BAD);
    writeFileSync(file('team.test.yaml'), cases('BLOCKED'));
    expect((await sub('test', 'team.yaml')).stdout).toContain(
      'team.test.yaml:5:35: error[wrong_type]: `expect` is not allowed here',
    );
    writeFileSync(file('team.test.yaml'), cases('BLOCK'));
    const { code, stdout } = await sub('test', 'team.yaml');
    expect(code).toBe(1);
    expect(stdout).toContain('team.yaml:8:11: error[unknown_kind]');
    expect(stdout).toMatch(/^0 cases, 0 failed, 1 file with mistakes or without cases$/m);
  });
});

describe('sub policy init', () => {
  it('lists the starter policies', async () => {
    const { code, stdout } = await sub('init');
    expect(code).toBe(0);
    expect(stdout.split('\n').map((line) => line.split(' ')[0])).toEqual([
      'ci-strict',
      'developer-laptop',
      'observe-everything',
      'production-read-only',
      '',
    ]);
  });

  it.each(['ci-strict', 'developer-laptop', 'observe-everything', 'production-read-only'])(
    'writes %s to the home, where its tests pass',
    async (name) => {
      const { code, stdout, stderr } = await sub('init', name);
      expect(code).toBe(0);
      expect(stderr.includes('outside of that every call is refused')).toBe(name === 'ci-strict');
      const home = file('home');
      expect(stdout).toContain(`${home}/policy.yaml`);
      expect(statSync(join(home, 'policy.yaml')).mode & 0o777).toBe(0o600);
      expect(existsSync(join(home, 'policy.schema.json'))).toBe(true);
      expect((await sub('lint')).stdout).toContain(`ok: \`${name}\``);
      expect((await sub('test')).code).toBe(0);
    },
  );

  it('writes to a path, and replaces no file unless it is told to', async () => {
    expect((await sub('init', 'ci-strict', 'rules/team.yaml')).code).toBe(1);
    expect((await sub('init', 'ci-strict', 'team.yaml')).code).toBe(0);
    expect((await sub('test', 'team.yaml')).code).toBe(0);
    writeFileSync(file('team.yaml'), GOOD);
    expect((await sub('init', 'ci-strict', 'team.yaml')).code).toBe(2);
    expect(readFileSync(file('team.yaml'), 'utf8')).toBe(GOOD);
    expect((await sub('init', 'ci-strict', 'team.yaml', '--force')).code).toBe(0);
    expect((await sub('init', 'no-such-policy')).code).toBe(2);
  });
});

describe('sub policy schema', () => {
  it('prints the schema that editors check policies by', async () => {
    const { code, stdout } = await sub('schema');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ type: 'object', additionalProperties: false });
  });
});

describe('a gateway that takes signed policies only', () => {
  it('is begun with keygen, init, sign and up, and says who signed and what it refused', async () => {
    const home = createHome();
    try {
      const at = (...args: readonly string[]) => runSub([...args, '--home', home.home], { cwd: folder });
      const { stdout: key } = await at('policy', 'keygen', 'alice.key');
      const config = `[policy]\naccept = "signed"\nsigners = ["${key.trimEnd()}"]\n`;
      appendFileSync(join(home.home, 'config.toml'), config);
      expect((await at('policy', 'init', 'production-read-only')).code).toBe(0);
      const policy = join(home.home, 'policy.yaml');
      const unsigned = await at('up');
      expect([unsigned.code, unsigned.stderr]).toEqual([
        1,
        expect.stringContaining('error[policy_unsigned]'),
      ]);
      expect((await at('doctor')).stdout).toMatch(/fail\s+policy .*policy\.yaml\.sig/);

      expect((await at('policy', 'sign', policy, '--key', 'alice.key', '--serial', '8')).code).toBe(0);
      expect((await at('up')).code).toBe(0);
      expect((await at('policy', 'show')).stdout).toMatch(/signed by alice at .*, serial 8/);
      expect((await at('doctor')).stdout).toContain('signed by `alice` with serial 8');

      expect((await at('policy', 'sign', policy, '--key', 'alice.key', '--serial', '7')).code).toBe(0);
      const reload = await at('policy', 'reload');
      expect([reload.code, reload.stderr]).toEqual([1, expect.stringContaining('error[policy_outdated]')]);
      expect((await at('status')).stdout).toContain(
        'policy.yaml is not in force: the policy file is signed, but',
      );
      expect((await at('policy', 'show')).stdout).toMatch(/^help: sign it again/m);
      expect((await at('doctor')).stdout).toMatch(/warn\s+gateway\s+policy\.yaml is not in force/);

      rmSync(policy);
      const gone = (await at('doctor')).stdout;
      expect(gone).toContain('the policy that was loaded last decides; where none was, no gateway starts');
      expect((await at('policy', 'show')).stdout).toMatch(/^production-read-only .* from the last file/);
    } finally {
      await home.remove();
    }
  });
});
