import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { SUB, runSub } from '../harness/sub.js';

let home: TestHome;
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
});
afterAll(() => home.remove());

/** Runs `sub ARGS` as something that an agent started. */
const inside = (...args: string[]) =>
  runSub(['run', '--home', home.home, '--', process.execPath, SUB, ...args, '--home', home.home]);

describe('inside a run', () => {
  it.each([
    ['allow', 'add', 'example.com'],
    ['approvals', 'approve', 'some-approval'],
    ['policy', 'reload'],
    ['policy', 'init', 'observe-everything', '--force'],
    ['policy', 'sign', 'policy.yaml', '--key', 'some.key'],
    ['resume'],
    ['ui', 'unlock'],
    ['up', '--restart'],
    ['ingest', 'events.jsonl'],
  ])('`sub %s %s` is refused with exit code 3', async (...args) => {
    const outcome = await inside(...args);
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toContain('inside_run');
  });

  it('nothing was added by the attempts', async () => {
    await inside('allow', 'add', 'example.com');
    const list = await runSub(['allow', 'list', '--home', home.home, '--json']);
    expect(list.code).toBe(0);
    expect(list.stdout).not.toContain('example.com');
  });

  it('a child that is started away from its parents environment is still inside', async () => {
    const script = `require('child_process').execFileSync(process.execPath, [${JSON.stringify(SUB)}, 'allow', 'add', 'example.com', '--home', ${JSON.stringify(home.home)}], { env: {}, stdio: 'inherit' })`;
    const outcome = await runSub(['run', '--home', home.home, '--', process.execPath, '-e', script]);
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toContain('inside_run');
  });

  it('a refused service call names no command that would widen what is allowed', async () => {
    const payload = JSON.stringify({ service: 'x', endpoint: 'https://example.com/', method: 'GET' });
    const outcome = await inside('call', 'service.api_call', '--payload', payload);
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toContain('not_allowed');
    expect(outcome.stderr + outcome.stdout).not.toMatch(/sub allow|allow add|approvals|approve/);
  });
});
