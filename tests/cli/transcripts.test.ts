import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHome, type Ran, type ReadHome } from '../harness/in-process.js';

let at: ReadHome;
let claude: string;
let codex: string;
const SECRET = `ghp_${'a1B2'.repeat(9)}`;
const replay = (...args: string[]): Promise<Ran> => at.sub(['policy', 'replay', ...args]);
const now = new Date().toISOString();

const said = (id: number, name: string, input: object): string =>
  JSON.stringify({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'tool_use', id: `toolu_${id}`, name, input }] },
    timestamp: now,
    cwd: '/work/shop',
    sessionId: 's',
  });

beforeAll(async () => {
  at = await readHome();
  claude = join(at.home, 'projects');
  mkdirSync(join(claude, '-work-shop'), { recursive: true });
  writeFileSync(
    join(claude, '-work-shop/one.jsonl'),
    [
      JSON.stringify({ type: 'user', message: { content: 'words of a person' }, timestamp: now }),
      said(1, 'Bash', { command: `cat ~/.ssh/id_rsa # ${SECRET} \u202e\u001b[2J` }),
      said(2, 'Read', { file_path: '/work/shop/src/main.ts' }),
      said(3, 'Bash', { command: 'git push --force origin 日本語のとても長いブランチの名前でまだ続く' }),
      said(4, 'Write', { file_path: `/etc/${'deep/'.repeat(40)}hosts`, content: 'words of a file' }),
      'damaged',
      said(5, 'Bash', { command: 'git push --force origin main' }),
    ].join('\n'),
  );
  codex = join(at.home, 'sessions');
  mkdirSync(codex);
  const call = { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"rm -rf ~"}', call_id: '1' };
  writeFileSync(
    join(codex, 'rollout-x.jsonl'),
    `${JSON.stringify({ timestamp: now, type: 'response_item', payload: call })}\n`,
  );
});
afterAll(() => at.remove());

describe("a replay over a client's own session files", () => {
  it('tells which calls a starter would have refused, by rule, and nothing else of them', async () => {
    const before = readFileSync(join(claude, '-work-shop/one.jsonl'));
    const { code, stdout, stderr } = await replay(
      'developer-laptop',
      '--transcripts',
      'claude',
      '--dir',
      claude,
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'left out: 1 line that cannot be read\n' });
    expect(stdout).toMatch(/^developer-laptop 2\.3\.0, mode control: 1 session file of claude\n/);
    expect(stdout).toContain(
      'in 30 days 4 of 5 calls would have been refused\n\nrule git-history: 2 calls\n',
    );
    expect(stdout).toMatch(
      /\n\d{4}-\d\d-\d\d \d\d:\d\d +1 {2}claude:builtin\.Bash {2}git push --force origin main\n/,
    );
    expect(stdout).toContain('rule credentials: 1 call\n');
    expect(stdout).toContain('rule outside-the-project: 1 call\n');
    for (const part of ['words', SECRET, '\u202e', '\u001b', 'main.ts']) expect(stdout).not.toContain(part);
    expect(readFileSync(join(claude, '-work-shop/one.jsonl'))).toEqual(before);
  });

  it.each([80, 120])('keeps to %i columns', async (columns) => {
    const args = ['policy', 'replay', 'developer-laptop', '--transcripts', 'claude', '--dir', claude];
    const { stdout } = await at.sub(args, columns);
    for (const line of stdout.split('\n'))
      expect(line.replaceAll(/[\u3000-\u9fff]/g, '  ').length).toBeLessThanOrEqual(columns);
    expect(stdout).toMatch(/\/etc\/deep.*….*hosts/);
  });

  it('gives programs each call, then the sum', async () => {
    const args = [
      '--transcripts',
      'codex',
      '--dir',
      codex,
      '--since',
      '1d',
      '--json',
      '--fail-on',
      'blocked',
    ];
    const { code, stdout } = await replay('developer-laptop', ...args);
    expect(code).toBe(3);
    const values = stdout
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(values).toEqual([
      {
        kind: 'call',
        ts: now,
        server_name: 'codex:builtin',
        tool_name: 'Bash',
        object: 'rm -rf ~',
        action: 'REJECT_WITH_HINT',
        rule_id: expect.any(String),
        reason_code: expect.any(String),
      },
      expect.objectContaining({ kind: 'summary', client: 'codex', files: 1, calls: 1, refused: 1 }),
    ]);
  });

  it('takes a policy for those whom it is meant for, and one that only observes', async () => {
    const of = async (policy: string): Promise<string> =>
      (await replay(policy, '--transcripts', 'codex', '--dir', codex)).stdout;
    expect(await of('ci-strict')).not.toContain('NO_POLICY_APPLIES');
    const path = join(at.home, 'observe.yaml');
    const text = readFileSync(new URL('../../policies/developer-laptop.yaml', import.meta.url), 'utf8');
    writeFileSync(path, text.replace('mode: control', 'mode: observe'));
    expect(await of(path)).toContain('1 of 1 calls would have been refused');
  });

  it.each([
    [['--transcripts', 'claude', '--dir', '/nonexistent/x'], 1, 'there is no folder `/nonexistent/x`'],
    [['--transcripts', 'cladue'], 2, 'did you mean `claude`?'],
    [['--transcripts', 'claude', '--run', 'x'], 2, '`--transcripts` does not go with `--run`'],
    [['--transcripts', 'claude', '--fail-on', 'unknown'], 2, 'does not go with `--fail-on unknown`'],
    [['--dir', 'x'], 2, '`--dir` goes with `--transcripts`'],
  ])('%j is a mistake', async (args, code, says) => {
    expect(await replay('developer-laptop', ...args)).toMatchObject({
      code,
      stderr: expect.stringContaining(says),
    });
  });
});
