import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SublEvent } from '@subluminal/core-types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { CI_JOB, expectInEach, POD } from './stated-identity.js';

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

/** The events of a run of nothing in this environment. */
async function eventsIn(env: Readonly<Record<string, string>>): Promise<SublEvent[]> {
  const file = join(home.root, `events-${Object.keys(env)[0]}.jsonl`);
  const { PATH, HOME } = process.env;
  const argv = ['run', '--home', home.home, '--events', file, '--', process.execPath, '-e', ''];
  expect(await runSub(argv, { env: { PATH, HOME, ...env } })).toMatchObject({ code: 0 });
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => SublEvent.parse(JSON.parse(line)));
}

it('a run of `sub run` in a CI job is headless, in CI, and names job, repository and branch', async () => {
  const events = await eventsIn(CI_JOB);
  expect(events.map(({ type }) => type)).toEqual(['run_start', 'run_end']);
  expectInEach(events, {
    client: 'headless',
    env: 'ci',
    workload: { ci_provider: 'github', job_id: '77', repo: 'acme/app', branch: 'main' },
  });
});

it('a run of `sub run` in a pod names namespace, service account and pod', async () => {
  const events = await eventsIn(POD);
  expectInEach(events, {
    workload: { namespace: 'agents', service_account: 'fixer', pod: 'fixer-1' },
  });
});

it('`sub run` hears what a headless runner has set of the identity', async () => {
  const events = await eventsIn({
    SUB_AGENT_ID: 'night-job',
    SUB_ENV: 'prod',
    SUB_CLIENT: 'headless',
    SUB_PRINCIPAL: 'ops@example.com',
  });
  expectInEach(events, {
    agent_id: 'night-job',
    env: 'prod',
    client: 'headless',
    principal: 'ops@example.com',
  });
});
