import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Decision, RunOpened } from '@subluminal/core-types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataOf, runBegin, start, toolCall, toolEnd } from '../gateway/harness.js';
import { isForCi, isReading, type Sample, samples } from './corpus.js';
import { Starter } from './starter.js';

const CALLS = 1000;
/** Of so many calls one is dangerous, as the corpus has it; each of those is tried again later. */
const DANGEROUS_EVERY = 20;

/** Clients, by the name that the corpus has for their own tools. */
const OWN: ReadonlyMap<string, string> = new Map([['claude', 'claude:builtin']]);

let project = '';
beforeAll(() => {
  const root = join(homedir(), '.cache', 'subluminal');
  mkdirSync(root, { recursive: true });
  project = mkdtempSync(join(root, 'shop-'));
  for (const folder of ['.git', 'src']) mkdirSync(join(project, folder));
});
afterAll(() => rmSync(project, { recursive: true }));

/** A thousand calls in an order that is always the same: each dangerous one comes twice. */
function session(isMeant: (call: Sample) => boolean): readonly { call: Sample; isDangerous: boolean }[] {
  const here = [
    ['/home/dev/shop', project],
    ['/home/dev', homedir()],
  ] as const;
  const harmless = samples('harmless', here).filter((call) => isMeant(call));
  const dangerous = samples('dangerous', here);
  return Array.from({ length: CALLS }, (_, at) => {
    const isDangerous = at % DANGEROUS_EVERY === DANGEROUS_EVERY - 1;
    const [list, place] = isDangerous
      ? [dangerous, Math.floor(at / DANGEROUS_EVERY / 2) * 11]
      : [harmless, at * 7];
    const call = list[place % list.length];
    if (call === undefined) throw new Error('the corpus is empty');
    return { call, isDangerous };
  });
}

it.each<readonly [name: string, isMeant: (call: Sample) => boolean]>([
  ['developer-laptop', () => true],
  ['ci-strict', isForCi],
  ['production-read-only', isReading],
  ['observe-everything', () => true],
])(
  'a session of a thousand calls under %s asks nothing that a live yes covers, and stops no harmless call',
  { timeout: 300_000 },
  async (name, isMeant) => {
    let now = 1_900_000_000_000;
    const world = await start({ policy: new Starter(name).source, clock: () => now });
    const operator = await world.operator();
    const begun = runBegin({ env: name === 'ci-strict' ? 'ci' : 'dev', workload: { repo_path: project } });
    const { credential } = RunOpened.parse(dataOf(await operator.request('run.begin', begun)));
    const client = await world.connect(credential);
    /** Every call that a person said yes to, for this run. */
    const agreed = new Set<string>();
    const tally = { asked: 0, askedAgain: 0, refused: 0, passed: 0, harmlessStopped: 0 };
    for (const { call, isDangerous } of session(isMeant)) {
      now += 1000;
      const { args, server, tool } = call;
      const hook = { transport: 'unknown', via: 'claude_hook', cwd: project };
      const of = { server_name: OWN.get(server) ?? server, tool_name: tool, args };
      const begin = toolCall({ ...of, ...(OWN.has(server) ? hook : {}) });
      const decision = Decision.parse(dataOf(await client.request('tool.call.begin', begin))['decision']);
      const subject = JSON.stringify([server, tool, args]);
      const question = decision.hint?.approval?.id;
      if (decision.action === 'ALLOW') {
        await client.request('tool.call.end', toolEnd(begin.call_id));
        tally.passed += Number(isDangerous);
      } else if (!isDangerous) tally.harmlessStopped += 1;
      if (question === undefined) {
        tally.refused += Number(isDangerous && decision.action !== 'ALLOW');
        continue;
      }
      tally.asked += 1;
      tally.askedAgain += Number(agreed.has(subject));
      agreed.add(subject);
      const answer = await operator.request('approvals.approve', { approval_id: question, for: 'run' });
      expect(answer.status).toBe('success');
    }
    process.stdout.write(`${name}: ${CALLS} calls, ${JSON.stringify(tally)}\n`);
    expect(tally.askedAgain).toBe(0);
    expect(tally.harmlessStopped).toBeLessThanOrEqual(CALLS / 100);
    // Each dangerous call is refused, or asked about and then made once a person said yes.
    if (name !== 'observe-everything') expect(tally.passed).toBeLessThanOrEqual(tally.asked);
    expect(await world.verify()).not.toBe('tampered');
  },
);
