import { SublEvent } from '@subluminal/core-types';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileURLToPath } from 'node:url';
import { createHome, type TestHome } from '../harness/home.js';
import { openRawSession } from '../harness/raw-session.js';
import { runSub } from '../harness/resident.js';
import { shimCommand } from '../harness/sub.js';
import { tailLines } from './scripted-run.js';
import { CI_JOB, expectInEach, POD } from './stated-identity.js';

const echo = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));

let home: TestHome;
beforeEach(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterEach(() => home.remove());

/** The events of one call through a shim that nobody started with `sub run`. */
async function eventsWith(variables: Record<string, string>): Promise<SublEvent[]> {
  const { PATH } = process.env;
  const argv = shimCommand(home.home, 'echo', [process.execPath, echo]);
  const session = await openRawSession(argv, { PATH, ...variables });
  expect((await session.request('tools/call', { name: 'echo', arguments: {} })).error).toBeUndefined();
  expect(await session.close()).toBe(0);
  return (await tailLines(home)).map((line) => SublEvent.parse(JSON.parse(line)));
}

describe('a shim without a run', () => {
  it('stamps its events with the identity of its environment', async () => {
    const events = await eventsWith({
      SUB_AGENT_ID: 'prod-sweeper',
      SUB_ENV: 'prod',
      SUB_CLIENT: 'headless',
      SUB_PRINCIPAL: 'ops@example.com',
    });
    expect(events.length).toBeGreaterThanOrEqual(4);
    expectInEach(events, {
      agent_id: 'prod-sweeper',
      env: 'prod',
      client: 'headless',
      principal: 'ops@example.com',
    });
  });

  it('names the CI job that it works in, whose environment is CI, and the pod', async () => {
    const events = await eventsWith({ ...CI_JOB, ...POD });
    expectInEach(events, {
      env: 'ci',
      workload: {
        ci_provider: 'github',
        job_id: '77',
        repo: 'acme/app',
        branch: 'main',
        namespace: 'agents',
        service_account: 'fixer',
        pod: 'fixer-1',
      },
    });
  });

  it('takes no run id from its environment: what was claimed is recorded beside the run that it got', async () => {
    const [start, ...others] = await eventsWith({ SUB_RUN_ID: 'a-run-of-somebody-else' });
    expect(start).toMatchObject({ type: 'run_start', claimed_run_id: 'a-run-of-somebody-else' });
    expect(start?.run_id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
    for (const event of others) expect(event.run_id).toBe(start?.run_id);
  });

  it('has a known place for every field, also where the environment says nothing', async () => {
    for (const event of await eventsWith({}))
      expect(event).toMatchObject({ agent_id: expect.stringMatching(/./) as unknown, env: 'unknown' });
  });
});
