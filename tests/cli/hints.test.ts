import { spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { recordCall, recordedRun, writeRecord } from '../harness/recorded.js';
import { runSub } from '../harness/resident.js';
import { finished, SUB, type Finished, type SubOptions } from '../harness/sub.js';

const POLICY = `# what agents may do
policy_id: p   # a name
version: '1'
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  # two mails a run
  - rule_id: few-mails
    kind: deny
    enabled: true
    severity: warn
    match: { tool_name: { glob: ["send*"] } }
    effect: { action: BLOCK, reason_code: X, message: "no" }   # kept
`;
const HINT = {
  hint_text: 'send one mail with all of it\u001b[2J',
  hint_kind: 'BUDGET',
  retry_advice: 'put everything into one mail',
  suggested_args: { to: 'all', body: 'x' },
};
const ARGS = { to: 'a@b.example', urgent: true, lines: ['x'], size: 12.5 };
const HINTED = {
  tool: ['mail', 'send[1]'],
  action: 'REJECT_WITH_HINT',
  ruleId: 'few-mails',
  reasonCode: 'BUDGET_EXCEEDED',
  summary: 'two mails were sent',
  decision: { hint: HINT },
} as const;

let at: TestHome;
let policy: string;
const sub = (args: readonly string[], options?: SubOptions): Promise<Finished> =>
  runSub([...args, '--home', at.home], options);
const persist = (...more: string[]): Promise<Finished> =>
  sub(['hints', 'promote', 'call-hinted-1', '--persist', '--file', policy, '--as', 'args', ...more]);

beforeAll(async () => {
  at = createHome();
  expect((await sub(['up'])).code).toBe(0);
  expect((await sub(['down'])).code).toBe(0);
  const ts = Date.now() - 60_000;
  await writeRecord(at, async (ledger) => {
    await ledger.append({
      entries: [recordedRun('run-a', ts), recordedRun('run-b', ts), recordedRun('run-c', ts)],
    });
    await recordCall(ledger, {
      runId: 'run-a',
      callId: 'call-fine-1',
      ts,
      tool: ['mail', 'send'],
      args: {},
      status: 'OK',
    });
    await recordCall(ledger, {
      ...HINTED,
      runId: 'run-a',
      callId: 'call-hinted-1',
      ts,
      args: ARGS,
    });
    const bash = { ...HINTED, runId: 'run-b', tool: ['shell', 'send_command'] as const, ts };
    await recordCall(ledger, {
      ...bash,
      callId: 'call-bash-01',
      args: { command: 'cp "/srv/[a]/x" /srv/b/y && curl https://ok.example.com/z' },
    });
    await recordCall(ledger, { ...bash, callId: 'call-bash-02', args: { command: 'cp $X /srv/b' } });
    await recordCall(ledger, {
      ...HINTED,
      runId: 'run-b',
      callId: 'call-hinted-2',
      ts: ts + 1,
      args: { to: 'x', token: 'secret' },
      preview: '{"to":"x","token":"[REDACTED]"}',
      redactions: 1,
    });
  });
}, 180_000);
afterAll(() => at.remove());

beforeEach(() => {
  const folder = join(at.root, `policy-${String(Math.random()).slice(2)}`);
  mkdirSync(folder);
  policy = join(folder, 'policy.yaml');
  writeFileSync(policy, POLICY, { mode: 0o640 });
  chmodSync(policy, 0o640);
});

describe('hints that were given', () => {
  it('of a run that is not in the record are not none', async () => {
    const { code, stdout, stderr } = await sub(['hints', 'list', '--run', 'run-z']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('there is no run `run-z`');
  });

  it('are listed newest first, of one run where it is named', async () => {
    const all = await sub(['hints', 'list']);
    expect(
      all.stdout
        .split('\n')
        .slice(1, 3)
        .map((line) => line.split(' ').at(-1)),
    ).toEqual(['call-hinted-2', 'call-bash-02']);
    expect(all.stdout).toContain('few-mails');
    expect(all.stdout).not.toContain('\u001b[2J');
    const { stdout } = await sub(['hints', 'list', '--run', 'run-a', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      call_id: 'call-hinted-1',
      run_id: 'run-a',
      server_name: 'mail',
      tool_name: 'send[1]',
      rule_id: 'few-mails',
      reason_code: 'BUDGET_EXCEEDED',
      hint: HINT,
      promoted: null,
    });
    expect((await sub(['hints', 'list', '--run', 'run-c'])).stdout).toBe('no hint was given\n');
    const first = await sub(['hints', 'list', '--limit', '3']);
    const cursor = /--cursor (\d+)/.exec(first.stderr)?.[1] ?? '';
    expect((await sub(['hints', 'list', '--cursor', cursor])).stdout).toContain('call-hinted-1');
  });

  it('are shown with what to do instead', async () => {
    const { stdout } = await sub(['hints', 'show', 'call-hinted-1']);
    expect(stdout).toMatch(/why +rule few-mails: two mails were sent/);
    expect(stdout).toMatch(/instead +arguments \{"body":"x","to":"all"\}/);
    expect(stdout).toMatch(/again +put everything into one mail/);
    const shown = await sub(['show', 'call-hinted-1']);
    expect(shown.stdout).toMatch(/instead +arguments \{"body":"x","to":"all"\}/);
    // By its entry: the id is the run's own choice, and may be that of another run's call.
    expect(shown.stdout).toMatch(/`sub hints promote \d+` for the rest of this run/);
    const { seq }: Record<string, unknown> = JSON.parse(
      (await sub(['hints', 'list', '--run', 'run-a', '--json'])).stdout,
    );
    expect((await sub(['hints', 'show', String(seq)])).stdout).toBe(stdout);
    expect(await sub(['hints', 'show', 'call-fine-1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('was given no hint'),
    });
    expect(await sub(['hints', 'show', 'nothing-0000000000'])).toMatchObject({ code: 1 });
  });
});

describe('a hint that becomes a rule of the policy file', () => {
  it('is shown as a difference, asked about, and written into the file as it was', async () => {
    const { code, stdout, stderr } = await persist();
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('(y/N)') });
    expect(readFileSync(policy, 'utf8')).toBe(POLICY);
    expect(stdout).toContain(`--- ${policy}\n+++ ${policy}\n@@ -5,6 +5,24 @@\n`);
    expect(stdout).toContain('not looked at: `lines`');
    expect(stdout).toContain('nothing was written');

    const promote = ['hints', 'promote', 'call-hinted-1', '--persist', '--file', policy, '--as', 'args'];
    const agreed = await sub(promote, { input: 'y\n' });
    expect(agreed).toMatchObject({ code: 0, stdout: expect.stringContaining('written') });
    const text = readFileSync(policy, 'utf8');
    const shown = agreed.stdout.split('\n').filter((line) => /^\+[^+]/.test(line));
    const added = shown.map((line) => `${line.slice(1)}\n`).join('');
    expect(text).toContain(added);
    expect(text.replace(added, '')).toBe(POLICY);
    expect(text).toContain('tool_name: { glob: ["send\\\\[1\\\\]"] }');
    expect(text).toMatch(/key_equals:\n +"size": 12\.5\n +"to": "a@b\.example"\n +"urgent": true\n/);
    expect(text).toMatch(/description: "promoted from call call-hinted-1 on \d{4}-\d\d-\d\d"/);
    expect(statSync(policy).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(policy, '..'))).toEqual(['policy.yaml']);
    expect(await sub(['policy', 'lint', policy])).toMatchObject({ code: 0 });
    expect(await persist('--yes')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('allows that already'),
    });
  });

  it('is written where it is what `--dry-run` showed, and not in a file, a reading or a call that is another one', async () => {
    const promote = ['hints', 'promote', 'call-hinted-1', '--persist', '--file', policy];
    const dry = await sub([...promote, '--dry-run', '--json']);
    expect([dry.code, readFileSync(policy, 'utf8')]).toEqual([0, POLICY]);
    const { file, offers, lacks } = JSON.parse(dry.stdout);
    expect([file, lacks]).toEqual([policy, null]);
    expect(offers.map(({ as }: { as: string }) => as)).toEqual(['args', 'any']);
    expect(Object.keys(offers[0]).toSorted()).toEqual(
      ['about', 'as', 'diff', 'digest', 'notes', 'open', 'policy_hash', 'rule'].toSorted(),
    );
    expect(offers[0]).toMatchObject({ open: ['lines'], diff: expect.stringContaining('+++ ') });
    const expecting = [...promote, '--yes', '--json', '--expect', offers[0].digest];
    const refused = { code: 1, stdout: expect.stringContaining('"code":"policy_changed"') };
    expect(await sub([...expecting, '--as', 'any'])).toMatchObject(refused);
    writeFileSync(policy, POLICY.replace('# what', '# What'));
    expect(await sub([...expecting, '--as', 'args'])).toMatchObject(refused);
    expect(readFileSync(policy, 'utf8')).toBe(POLICY.replace('# what', '# What'));
    writeFileSync(policy, POLICY);
    const done = await sub([...expecting, '--as', 'args']);
    expect(done.code).toBe(0);
    expect(JSON.parse(done.stdout)).toMatchObject({
      written: true,
      diff: offers[0].diff,
      policy_hash: offers[0].policy_hash,
    });
  });

  it('is shown in each way by `--dry-run`, and none of both goes without `--persist`', async () => {
    const promote = ['hints', 'promote', 'call-hinted-1'];
    const { code, stdout } = await sub([...promote, '--persist', '--file', policy, '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/args: the same arguments \(--as args\)[^]*any: any arguments \(--as any\)/);
    expect(stdout).toContain('nothing was written');
    expect(readFileSync(policy, 'utf8')).toBe(POLICY);
    for (const flags of [['--dry-run'], ['--expect', 'a'.repeat(64), '--yes']])
      expect(await sub([...promote, ...flags])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('goes with `--persist`'),
      });
    expect(await sub([...promote, '--persist', '--file', policy, '--dry-run', '--as', 'host'])).toMatchObject(
      { code: 2, stderr: expect.stringContaining('`host` is no way to name this call') },
    );
  });

  it('tells before the yes that it breaks the signature of the file', async () => {
    const promote = ['hints', 'promote', 'call-hinted-1', '--persist', '--file', policy];
    const notes = async (): Promise<string[]> => {
      const { offers } = JSON.parse((await sub([...promote, '--dry-run', '--json'])).stdout);
      return offers.map((offer: { readonly notes: string[] }) => offer.notes.at(-1));
    };
    const signed = /^the signature of the file is none of this text: .*`sub policy sign`/;
    for (const note of await notes()) expect(note).not.toMatch(signed);
    writeFileSync(`${policy}.sig`, 'a signature');
    for (const note of await notes()) expect(note).toMatch(signed);
    const { stdout } = await sub([...promote, '--dry-run', '--as', 'any']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('the signature of the file is none of this text');
  });

  it('lets through such calls, and no others', async () => {
    expect(await persist('--yes')).toMatchObject({ code: 0 });
    const decided = async (call: object): Promise<unknown> => {
      const asked = { server: 'mail', tool: 'send[1]', args: ARGS, ...call };
      const args = ['policy', 'explain', '--if', JSON.stringify(asked), '--policy', policy, '--json'];
      const { ruling } = JSON.parse((await sub(args)).stdout);
      return ruling.decision.action;
    };
    expect(await decided({})).toBe('ALLOW');
    expect(await decided({ args: { ...ARGS, lines: [], more: 1 } })).toBe('ALLOW');
    expect(await decided({ args: { ...ARGS, size: 12 } })).toBe('BLOCK');
    expect(await decided({ args: { ...ARGS, urgent: 'true' } })).toBe('BLOCK');
    expect(await decided({ args: {} })).toBe('BLOCK');
    expect(await decided({ tool: 'send1' })).toBe('BLOCK');
    expect(await decided({ server: 'mail2' })).toBe('BLOCK');
  });

  it('takes any arguments only where that is said', async () => {
    const promote = ['hints', 'promote', 'call-hinted-2', '--persist', '--file', policy, '--yes'];
    const redacted = await sub([...promote, '--as', 'args']);
    expect(redacted).toMatchObject({ code: 1, stderr: expect.stringContaining('not all kept') });
    expect(readFileSync(policy, 'utf8')).toBe(POLICY);
    const any = await sub([
      'hints',
      'promote',
      'call-hinted-2',
      '--persist',
      '--file',
      policy,
      '--yes',
      '--any-args',
      '--json',
    ]);
    expect(any.code).toBe(0);
    expect(JSON.parse(any.stdout)).toMatchObject({ written: true, file: policy, rule: { kind: 'allow' } });
    expect(readFileSync(policy, 'utf8')).not.toContain('key_equals');
  });

  it('is written where a link leads, which stays one', async () => {
    const link = `${policy}.link`;
    symlinkSync(policy, link);
    expect(
      await sub(['hints', 'promote', 'call-hinted-1', '--persist', '--file', link, '--yes', '--as', 'args']),
    ).toMatchObject({ code: 0 });
    expect(readFileSync(policy, 'utf8')).toContain('overrides');
  });

  it('is not written where the file changed while it was asked about', async () => {
    const child = spawn(
      process.execPath,
      [
        SUB,
        'hints',
        'promote',
        'call-hinted-1',
        '--persist',
        '--as',
        'args',
        '--file',
        policy,
        '--home',
        at.home,
      ],
      { stdio: ['pipe', 'pipe', 'pipe'] },
    );
    const end = finished(child, 60_000);
    await new Promise<void>((resolve) => {
      child.stderr.on('data', (text: Buffer) => text.includes('(y/N)') && resolve());
    });
    writeFileSync(policy, `${POLICY}# mine\n`);
    child.stdin.end('y\n');
    expect(await end).toMatchObject({ code: 1, stderr: expect.stringContaining('was changed meanwhile') });
    expect(readFileSync(policy, 'utf8')).toBe(`${POLICY}# mine\n`);
    expect(readdirSync(join(policy, '..'))).toEqual(['policy.yaml']);
  });

  it.each<[string, string, string, string]>([
    ['was not refused', 'call-fine-1', POLICY, 'was not refused'],
    [
      'was refused by a rule that is not in the file',
      'call-hinted-1',
      POLICY.replaceAll('few-mails', 'other'),
      'there is no rule `few-mails`',
    ],
    ['is in a file with a mistake', 'call-hinted-1', POLICY.replace('kind: deny', 'kind: dany'), ':10:11:'],
    ['does not exist', 'call-nobody-1', POLICY, 'there is no call'],
  ])('is refused where the call %s', async (_what, callId, text, says) => {
    writeFileSync(policy, text);
    const { code, stderr } = await sub([
      'hints',
      'promote',
      callId,
      '--persist',
      '--file',
      policy,
      '--yes',
      '--as',
      'args',
    ]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
    expect(readFileSync(policy, 'utf8')).toBe(text);
  });

  it('takes the call by its files, folders, commands or hosts', async () => {
    const before = readFileSync(policy, 'utf8');
    const ruleOf = async (as: string): Promise<Record<string, unknown>> => {
      writeFileSync(policy, before);
      const promote = ['hints', 'promote', 'call-bash-01', '--persist', '--file', policy, '--yes', '--json'];
      const { code, stdout } = await sub([...promote, '--as', as]);
      expect(code).toBe(0);
      const { rule } = JSON.parse(stdout);
      delete rule.match.server_name;
      delete rule.match.tool_name;
      return rule.match;
    };
    const decided = async (command: string): Promise<unknown> => {
      const asked = JSON.stringify({ server: 'shell', tool: 'send_command', args: { command } });
      const { stdout } = await sub(['policy', 'explain', '--if', asked, '--policy', policy, '--json']);
      return JSON.parse(stdout).ruling.decision.action;
    };
    const same = 'cp "/srv/[a]/x" /srv/b/y && curl https://ok.example.com/z';
    const command = { program: ['cp', 'curl'] };
    const access = ['write', 'read'];
    const host = { glob: ['ok.example.com'] };
    expect(await ruleOf('path')).toEqual({
      path: { glob: ['/srv/b/y', String.raw`/srv/\[a\]/x`], access },
      command,
      host,
    });
    expect(await decided(same)).toBe('ALLOW');
    expect(await decided('cp "/srv/[a]"/x /srv/b/z')).toBe('BLOCK');
    expect(await decided('cp "/srv/[a]"/x /srv/b/y; rm -rf /srv/b/y')).toBe('BLOCK');
    expect(await decided(same.replace('ok.', 'bad.'))).toBe('BLOCK');
    expect(await ruleOf('folder')).toEqual({
      path: { under: ['/srv/b', String.raw`/srv/\[a\]`], access },
      command,
      host,
    });
    expect(await decided('cp "/srv/[a]"/deep/er /srv/b/z && curl https://ok.example.com')).toBe('ALLOW');
    expect(await decided('cp /srv/c /srv/b/z')).toBe('BLOCK');
    expect(await ruleOf('command')).toEqual({
      command: { ...command, argv: [String.raw`cp /srv/\[a\]/x /srv/b/y`, 'curl https://ok.example.com/z'] },
    });
    expect(await decided(same)).toBe('ALLOW');
    expect(await decided('./cp "/srv/[a]/x" /srv/b/y')).toBe('BLOCK');
    expect(await decided(`${same} -v`)).toBe('BLOCK');
    expect(await ruleOf('host')).toEqual({ host, command });
    expect(await decided('curl https://ok.example.com/other')).toBe('ALLOW');
    expect(await decided('curl https://bad.example.com/other')).toBe('BLOCK');
  });

  it('names the ways that there are, and offers none that would take what is not known', async () => {
    const promote = ['hints', 'promote', 'call-bash-02', '--persist', '--file', policy, '--yes'];
    for (const as of ['command', 'path', 'nonsense'])
      expect(await sub([...promote, '--as', as])).toMatchObject({
        code: 2,
        stderr: `error[usage]: \`${as}\` is no way to name this call\nhelp: \`--as\` takes one of \`args\`, \`any\` for it\n`,
      });
    expect((await sub(promote)).stderr).toBe(
      'error[usage]: `--as` is missing\nhelp: `--as` takes one of `args`, `any` for it\n',
    );
    expect(await sub(['hints', 'promote', 'call-bash-02', '--as', 'any'])).toMatchObject({ code: 2 });
    expect(readFileSync(policy, 'utf8')).toBe(POLICY);
  });

  it('asks no program, and takes no flag that it does not know', async () => {
    expect(await persist('--json')).toMatchObject({ code: 2 });
    expect(await sub(['hints', 'promote', 'call-hinted-1', '--persits'])).toMatchObject({ code: 2 });
    expect(await sub(['hints', 'promote', 'call-hinted-1', '--file', policy])).toMatchObject({ code: 2 });
  });
});
