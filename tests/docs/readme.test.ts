import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Finished } from '../harness/sub.js';
import { firstHour, type FirstHour } from './first-hour.js';
import { linesToType, textOf } from './pages.js';

/** Installing is the work of the build and of the package's own tests. */
const isInstall = (line: string): boolean => /^(?:npm|npx) /.test(line);
const isUndo = (line: string): boolean => /^sub (?:restore|uninstall)\b/.test(line);

/** Words that the output of a line must hold: what its remark promises. */
const SHOWN: readonly (readonly [start: string, words: RegExp])[] = [
  ['sub tail', /notes\.read_text_file .*today\.md/],
  ['sub query --refused', /notes\.read_text_file .*id_ed25519/],
  ['sub why', /id_ed25519[^]*sub policy explain/],
  ['sub report', /What agents did/],
  ['sub show CALL', /read_text_file/],
  ['sub up', /the gateway is up/],
  ['sub init', /would pass the gateway: notes/],
  ['sub import claude', /notes +routed/],
  ['sub hooks status', /Claude Code: hooks are installed/],
  ['sub run ', /succeeded in .*: 2 calls/],
  ['sub policy init', /written: .*policy\.yaml/],
  ['sub policy explain --command', /credentials/],
  ['sub approvals list', /nothing waits/],
  ['sub tools diff', /nothing is held/],
  ['sub restore claude', /byte for byte/],
  ['sub uninstall', /moves? to/],
  ['sub audit verify', /^ok: every entry re-hashes/],
  ['sub audit anchor', /anchored|commit/],
  ['sub audit prove', /VKEY|vkey|\+/],
  ['node verifier/verify.mjs', /^verified: /m],
  ['sub export run', /sub audit verify/],
];

let at: FirstHour;
beforeAll(async () => {
  at = await firstHour();
  execFileSync('git', ['init', '-q', `${at.home}/notes`]);
});
afterAll(() => at.remove());

it('each line of README does what it says, typed by somebody who has just installed it', async () => {
  const lines = linesToType(textOf('README.md')).filter((line) => !isInstall(line));
  const up = lines.findIndex((line) => line.startsWith('sub up'));
  const ran = lines.findIndex((line) => line.startsWith('sub run ')) + 1;
  const policy = lines.findIndex((line) => line.startsWith('sub policy init')) + 1;
  // The page begins with what an agent did and what was refused, which needs a policy and a run under it. It
  // ends with proofs, of a record that is not yet moved away.
  const order = [
    ...lines.slice(up, policy),
    lines[ran - 1] ?? '',
    ...lines.slice(0, up),
    ...lines.slice(policy),
  ];
  const typed = [...order.filter((line) => !isUndo(line)), ...order.filter(isUndo)];
  expect(typed.length).toBeGreaterThan(18);
  const given: Record<string, string> = { CALL: '', RUN: '', VKEY: '' };
  const wrong: string[] = [];
  for (const line of typed) {
    // It asks at a terminal, which nobody has here.
    const asked = line === 'sub init' ? `${line} --dry-run` : line;
    const done = await type(asked.replaceAll(/\b(CALL|RUN|VKEY)\b/g, (word) => given[word] ?? word));
    const output = done.stdout + done.stderr;
    const [, words = /./] = SHOWN.find(([start]) => line.startsWith(start)) ?? [];
    if (done.code !== 0 || !words.test(output)) wrong.push(`${line}: exit ${done.code}\n${output}`);
    if (line.startsWith('sub run ')) Object.assign(given, await newestCall());
    given['VKEY'] = /[^\s`]+\+[0-9a-f]{8}\+[\w+/=]+/.exec(output)?.[0] ?? given['VKEY'] ?? '';
  }
  expect(wrong).toEqual([]);
}, 120_000);

/** A line that goes on until it is stopped is stopped; one that asks is answered. */
function type(line: string): Promise<Finished> {
  if (/^sub (?:tail|watch)$/.test(line)) {
    // Behind the terminal's foreground the system stops a program that reads keys, and no signal reaches it.
    const stopped = 'timeout --foreground --preserve-status -s INT 3';
    return at.run(`${stopped} ${line}; test $? -eq 130 -o $? -eq 0`, { keys: '' });
  }
  return at.run(line, line === 'sub uninstall' ? { keys: 'y\n' } : {});
}

async function newestCall(): Promise<Record<'CALL' | 'RUN', string>> {
  const { stdout } = await at.run("sub query --tool '*' --limit 1 --json");
  const { seq, run_id } = JSON.parse(stdout) as { seq: number; run_id: string };
  return { CALL: String(seq), RUN: run_id };
}
