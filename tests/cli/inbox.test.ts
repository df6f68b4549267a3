import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { bundle, deny } from '../gateway/policy-bundle.js';
import { toolCall } from '../gateway/harness.js';
import { askingRun, type AskingRun } from '../harness/asking.js';
import { ran } from '../harness/in-process.js';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { SUB } from '../harness/sub.js';

const POLICY = bundle(
  [
    {
      enabled: true,
      severity: 'warn',
      rule_id: 'pushes',
      kind: 'ask',
      match: { command: { argv: ['git push*'] } },
      effect: { action: 'ASK', message: 'pushes are asked about' },
    },
    deny('no-rm', { command: { argv: ['rm *'] } }, { hint_text: 'move it instead' }),
  ],
  { mode: 'control' },
);

let at: TestHome;
/** Each test has a run of its own: one run asks eight times a minute, and its end closes what it asked. */
let run: AskingRun;
const sub = (...args: string[]) =>
  runSub([...args], { env: { PATH: process.env['PATH'], SUB_HOME: at.home } });
const asked = (command: string): Promise<string> => run.asked(command);
const values = async (...args: string[]): Promise<Record<string, unknown>[]> =>
  (await sub(...args, '--json')).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Record<string, unknown> => JSON.parse(line));

/** Of this run, without those that are answered. */
const waiting = async () =>
  (await values('approvals', 'list')).filter(
    ({ run_id, state }) => run_id === run.id && [undefined, 'pending'].includes(state as string),
  );

beforeAll(async () => {
  at = createHome({ policy: POLICY });
  await at.startWatched();
}, 180_000);
afterAll(() => at.remove());
beforeEach(async () => {
  run = await askingRun(at.home);
});
afterEach(async () => {
  // The end of a run closes its questions with the next look at them.
  for (const { id, state } of await waiting())
    if (state === 'pending') await sub('approvals', 'deny', String(id));
  await run.end();
});

/** A part of an id, but for one that begins as a flag does. */
const part = (id: string, from: number, to?: number): string =>
  id.slice(from, to).startsWith('-') ? id : id.slice(from, to);

it('a question is named by its number, its beginning or its end, and by nothing else', async () => {
  const [one, other] = [await asked('git push named'), await asked('git push beside')];
  const [shown] = await values('approvals', 'show', one);
  const number = Number(shown?.['number']);
  for (const name of [one, part(one, 0, 8), part(one, -6), String(number), String(number + 1)])
    expect(JSON.parse((await sub('approvals', 'show', name, '--json')).stdout)).toMatchObject({ id: one });
  for (const name of ['z', 'zz-no-such', '1'])
    expect(await sub('approvals', 'approve', name)).toMatchObject({
      code: 1,
      stderr: `error[approval_not_found]: nothing that waits is named \`${name}\`\nhelp: \`sub approvals list\` shows what is open\n`,
    });
  expect(await sub('approvals', 'deny', part(other, 0, 9))).toMatchObject({ code: 0 });
  expect(await sub('approvals', 'deny', part(one, 0, 9))).toMatchObject({ code: 0 });
});

it('without an id nothing is answered, however few wait, and the command is printed', async () => {
  expect((await sub('approvals', 'approve')).stderr).toBe(
    'error[approval_not_found]: nothing waits for an answer\n',
  );
  const id = await asked('git push alone');
  const [only] = await waiting();
  expect(only).toMatchObject({ id });
  expect(await sub('approvals', 'approve')).toMatchObject({
    code: 2,
    stderr:
      'error[usage]: `id` is missing\n' +
      `help: one question waits, \`shell.run git push alone\`: if you mean it, \`sub approvals approve ${String(only?.['number'])}\`\n`,
  });
  await asked('git push not alone');
  expect((await sub('approvals', 'deny')).stderr).toContain('`sub approvals deny ID`');
  expect((await run.decided('git push alone')).reason_code).toBe('APPROVAL_REQUIRED');
});

it('`sub status` and `sub doctor` say how much waits', async () => {
  await asked('git push waits');
  await asked('git push waits, too');
  expect((await sub('status')).stdout).toMatch(
    /^waiting +2 questions: `sub watch` or `sub approvals list`$/m,
  );
  expect(JSON.parse((await sub('status', '--json')).stdout)).toMatchObject({
    waiting: { questions: 2, actions: 0, tools: 0, hints: 0 },
  });
  expect((await sub('doctor')).stdout).toMatch(/^warn +waiting +for you: 2 questions$/m);
});

it('`sub run` ends with how much waits, for a person and not inside a run', async () => {
  await asked('git push and wait');
  await run.decided('rm and wait');
  const said = '\nsub: waits for you: 2 (1 question, 1 hint) (`sub approvals list`)\n';
  expect((await sub('run', '--', 'true')).stderr).toContain(said);
  const inner = await sub('run', '--', process.execPath, SUB, 'run', '--', 'true');
  expect(inner.stderr.split('waits for you')).toHaveLength(2);
});

it('a yes for always without a reading prints each as a whole command, and writes nothing', async () => {
  const id = await asked('git push origin choose');
  const [shown] = await values('approvals', 'show', id);
  const before = readFileSync(`${at.home}/policy.yaml`, 'utf8');
  const { code, stdout } = await sub('approvals', 'approve', id, '--for', 'always', '--yes');
  expect(code).toBe(2);
  expect(stdout).toContain('what makes a call alike, the narrowest first:\n');
  expect(stdout).toContain(
    `  sub approvals approve ${String(shown?.['number'])} --for always --as command\n      the same commands, word by word\n`,
  );
  expect(stdout).toMatch(/ --as any\n {6}any arguments\n$/);
  expect(readFileSync(`${at.home}/policy.yaml`, 'utf8')).toBe(before);
  await sub('approvals', 'deny', id);
});

it('the list keeps to 80 columns, and shows what is asked about before why', async () => {
  await asked(`git push origin a-branch-with-a-name-that-goes-on-${'and-on-'.repeat(6)}`);
  await run.decided('rm short');
  const { stdout, stderr } = await ran(['approvals', 'list', '--home', at.home], 80);
  expect(stdout).toMatch(/ run git push .*…/);
  for (const line of `${stdout}${stderr}`.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

it('a hint stands in the same list, is lifted until its run ends, and is then gone', async () => {
  expect((await run.decided('rm old')).action).toBe('REJECT_WITH_HINT');
  expect((await run.decided('rm old')).action).toBe('REJECT_WITH_HINT');
  const [hint, ...more] = await waiting();
  expect(more).toEqual([]);
  expect(hint).toMatchObject({ kind: 'hint', server_name: 'shell', rule_id: 'no-rm', object: 'rm old' });
  const number = String(hint?.['number']);
  expect((await sub('approvals', 'list')).stdout).toMatch(
    new RegExp(`^${number} +hint +now +refused +\\S+ +shell\\.run rm old +rule no-rm$`, 'm'),
  );
  const shown = await sub('approvals', 'show', number);
  expect(shown.stdout).toMatch(/^hint +move it instead$/m);
  expect(shown.stdout).toContain(`sub approvals approve ${number} --for run     until the run ends\n`);
  expect((await sub('status')).stdout).toMatch(/^waiting +1 hint: `sub approvals list`$/m);
  for (const args of [[], ['--for', 'once']])
    expect(await sub('approvals', 'approve', number, ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`--for run` until the run ends'),
    });
  expect(await sub('approvals', 'deny', number)).toMatchObject({ code: 2 });
  const approved = await sub('approvals', 'approve', number, '--for', 'run', '--yes');
  expect(approved).toMatchObject({ code: 0, stdout: expect.stringContaining('despite rule `no-rm`') });
  expect((await run.decided('rm old')).action).toBe('ALLOW');
  expect(await waiting()).toEqual([]);
  expect((await run.decided('rm new')).action).toBe('REJECT_WITH_HINT');
  const [other] = await waiting();
  const any = ['--for', 'run', '--any-args', '--yes'];
  expect(await sub('approvals', 'approve', String(other?.['number']), ...any)).toMatchObject({ code: 0 });
  expect((await run.decided('rm anything')).action).toBe('ALLOW');
});

it('an answer is for what was named, also where a run gives its call the number or the id of another', async () => {
  await run.decided('rm harmful');
  const [harmful] = await waiting();
  const begin = (call_id: string, args: object) =>
    run.client.request(
      'tool.call.begin',
      toolCall({ server_name: 'shell', tool_name: 'run', call_id, args }),
    );
  const digits = String(harmful?.['number']).padStart(8, '0');
  await begin(digits, { command: 'rm harmless' });
  const named = (await waiting()).find(({ object }) => object === 'rm harmless');
  expect(named).toMatchObject({ id: digits });
  for (const name of [digits, String(named?.['number'])])
    expect(JSON.parse((await sub('approvals', 'show', name, '--json')).stdout)).toEqual(named);
  const yes = await sub('approvals', 'approve', String(named?.['number']), '--for', 'run', '--yes');
  expect(yes).toMatchObject({ code: 0 });
  expect((await run.decided('rm harmful')).action).toBe('REJECT_WITH_HINT');
  expect((await run.decided('rm harmless')).action).toBe('ALLOW');
  const other = await askingRun(at.home);
  await other.client.request(
    'tool.call.begin',
    toolCall({
      server_name: 'shell',
      tool_name: 'run',
      call_id: 'call-shared',
      args: { command: 'rm other' },
    }),
  );
  await begin('call-shared', { command: 'rm own' });
  expect(await sub('approvals', 'show', 'call-shared')).toMatchObject({ code: 2 });
  await other.end();
  expect(await sub('approvals', 'show', 'call-shared')).toMatchObject({ code: 0 });
});

it('hints of a run that has ended wait for nobody, and `why` names no way through for that run', async () => {
  await run.decided('rm late');
  const [hint, ...more] = await waiting();
  expect(more).toEqual([]);
  const why = async (): Promise<string> => (await sub('why', String(hint?.['number']))).stdout;
  expect(await why()).toContain('lets calls like it pass in this run');
  await run.end();
  expect(await waiting()).toEqual([]);
  expect(await why()).toContain('--persist` lets calls like it pass, by a rule');
  expect(await why()).not.toContain('in this run');
});
