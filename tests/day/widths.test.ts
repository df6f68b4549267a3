import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ran } from '../harness/in-process.js';
import { runSub } from '../harness/resident.js';
import { finished, SUB } from '../harness/sub.js';
import { day, type Day } from './day.js';
import { NOT_WALKED, walk, type Use } from './walk.js';

const BUNDLE = fileURLToPath(new URL('../../packages/daemon/dist/bundle/gateway.js', import.meta.url));
const ESC = '\u001b';
const ESCAPE = new RegExp(String.raw`${ESC}(?:\[[0-9;?]*[ -/]*[@-~])?`, 'g');
/** Bold, dim, red, green and yellow are readable on a dark ground and on a light one. */
const PAINT = new Set(['0', '1', '2', '31', '32', '33'].map((code) => `${ESC}[${code}m`));
const KEEPS_TO = [80, 120] as const;

let at: Day;
const userHome = process.env['HOME'];
beforeAll(async () => {
  at = await day();
  process.env['HOME'] = at.user;
});
afterAll(async () => {
  if (userHome === undefined) delete process.env['HOME'];
  else process.env['HOME'] = userHome;
  await at.remove();
});

/** Lines that are wider than the terminal, and paint that a ground can hide. */
function faultsOf(painted: string, columns: number): readonly string[] {
  const lines = painted.replaceAll(ESCAPE, '').split('\n');
  return [
    ...lines.filter((line) => Array.from(line).length > columns).map((line) => `wide: ${line}`),
    ...(painted.match(ESCAPE) ?? [])
      .filter((one) => !PAINT.has(one))
      .map((one) => `paint: ${JSON.stringify(one)}`),
  ];
}

/** All that is wrong with the output of one use. */
async function wrongWith(use: Use, columns: number): Promise<readonly string[]> {
  const end = use.argv.indexOf('--');
  const argv = use.argv.toSpliced(end === -1 ? use.argv.length : end, 0, '--home', at.at.home);
  const { code, stdout, stderr } = await ran(argv, columns, {
    env: { HOME: at.user, TERM: 'xterm' },
    cwd: () => at.shop,
    gatewayProgram: BUNDLE,
    program: SUB,
  });
  const painted = stdout + stderr;
  const text = painted.replaceAll(ESCAPE, '');
  const faults = faultsOf(painted, columns).filter((one) => use.isRaw !== true || !one.startsWith('wide: '));
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const joined = text
    .replaceAll(/(?<=[/-])\n(?! *(?:help:|\S+ {2}))/g, '')
    .replaceAll(/(`[^`\n]*)\n *(?=[^`\n]*`)/g, '$1 ');
  const isFirst = columns === KEEPS_TO[0] || use.once === undefined;
  const ending = lines.slice(-3).join(' ').replaceAll(/ +/g, ' ');
  return [
    ...faults,
    ...(joined.match(/`sub [^`]*…[^`]*`/g) ?? []).map((one) => `cut: ${one}`),
    ...(isFirst && code !== (use.code ?? 0) ? [`exit ${code}: ${text}`] : []),
    ...(isFirst ? (use.shows ?? []) : [])
      .filter((words) => !words.test(joined))
      .map((words) => `${words}: ${joined}`),
    ...(isFirst && use.next?.test(ending) === false ? [`no next step ${use.next}: ${text}`] : []),
  ].map((one) => `${columns}: sub ${use.argv.join(' ')}: ${one}`);
}

it('the walk leaves out no verb but those that are named', async () => {
  const { stdout } = await runSub(['completion', 'bash']);
  const all = [...stdout.matchAll(/ verb='([a-z ]+)' ;;/g)].map(([, verb = '']) => verb);
  const members = all.filter((verb) => !all.some((other) => other.startsWith(`${verb} `)));
  const walked = walk(at).map(({ argv: [verb = '', member = ''] }) =>
    members.includes(verb) ? verb : `${verb} ${member}`,
  );
  const left = members.filter((verb) => !/(?:^| )help$/.test(verb) && !walked.includes(verb));
  expect(left.toSorted()).toEqual([...NOT_WALKED].toSorted());
});

it('the examples in help do what they say', async () => {
  const env = { HOME: at.user, SUB_HOME: at.at.home, PATH: process.env['PATH'] };
  const help = async (...verb: string[]): Promise<string> =>
    (await runSub(['help', ...verb], { env })).stdout;
  const of = async (...verb: string[]): Promise<string[]> =>
    [...(await help(...verb)).matchAll(/^ {2}sub (.*)$/gm)].map(([, words = '']) => words);
  expect((await runSub(['import', 'claude'], { env })).code).toBe(0);
  const examples = await of('secrets', 'bind');
  expect(examples).toHaveLength(2);
  for (const example of examples) {
    const { code, stderr } = await runSub(example.split(' '), { env, input: 'a-token-of-github' });
    expect([example, code, code === 0 ? '' : stderr]).toEqual([example, 0, '']);
  }
  expect((await runSub(['restore', 'claude'], { env })).code).toBe(0);
  const [, policy = ''] = /:\n( {2}policy_id: [^]*)$/.exec(await help('policy', 'trust')) ?? [];
  const file = join(at.at.root, 'example.yaml');
  writeFileSync(file, policy.replaceAll(/^ {2}/gm, ''));
  expect(await runSub(['policy', 'lint', file], { env })).toMatchObject({ code: 0 });
});

it.runIf(existsSync('/usr/bin/script')).each(KEEPS_TO)(
  'the remarks of a run fit %i columns',
  async (columns) => {
    const line = `stty cols ${columns}; exec '${process.execPath}' '${SUB}' run --home '${at.at.home}' -- true`;
    const child = spawn('/usr/bin/script', ['-qec', line, '/dev/null'], {
      env: { PATH: process.env['PATH'], HOME: at.user, TERM: 'xterm' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { code, stdout } = await finished(child, 60_000);
    expect([code, faultsOf(stdout.replaceAll('\r', ''), columns)]).toEqual([0, []]);
    expect(stdout).toMatch(/run \w{26} /);
  },
);

it('what every verb prints fits the terminal, can be read, and says what is next', async () => {
  const wrong: string[] = [];
  for (const use of walk(at))
    for (const columns of use.isLong === true ? [80] : KEEPS_TO)
      wrong.push(...(await wrongWith(use, columns)));
  expect(wrong).toEqual([]);
}, 300_000);
