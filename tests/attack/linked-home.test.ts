import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { linkHome } from '../harness/linked-home.js';
import { runSub, SUB } from '../harness/sub.js';

const REFUSED = 'error[inside_run]: this command is refused inside a run';

let home: TestHome;
let links: string;
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  links = join(home.root, 'links');
});
afterAll(() => home.remove());
beforeEach(() => {
  rmSync(links, { recursive: true, force: true });
  linkHome(home.home, links);
});

/** Runs a script of the agent, which names its run nowhere. */
const agent = (script: string, ...flags: string[]) =>
  runSub(['run', ...flags, '--home', home.home, '--', 'sh', '-c', `unset SUB_RUN_ID\n${script}`]);
const sub = `"${process.execPath}" "${SUB}"`;
const records = async (...args: string[]): Promise<Record<string, unknown>[]> =>
  (await runSub([...args, '--home', home.home, '--json'])).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('through a home of links an agent', () => {
  it('asks for no action as the operator', async () => {
    const { code, stderr } = await agent(
      `${sub} call service.api_call --url https://host.example/ --home ${links}`,
    );
    expect([code, stderr]).toEqual([3, expect.stringContaining(REFUSED)]);
    const [refused] = await records('query', '--refused');
    expect(refused).toMatchObject({ action: 'verb.refused', summary: expect.stringContaining('`sub call`') });
  });

  it.each([
    ['a home of links', () => links, 'true'],
    ['the home whose tickets it removed', () => home.home, 'rm $SUB_HOME/run/tickets/*'],
  ])('opens no second run in %s', async (_name, at, first) => {
    const before = (await records('runs')).length;
    const { code, stderr } = await agent(`${first}\n${sub} run --home ${at()} -- echo was started`);
    expect([code, stderr]).toEqual([3, expect.stringContaining(REFUSED)]);
    expect(await records('runs')).toHaveLength(before + 1);
    const [refused] = await records('query', '--refused');
    expect(refused).toMatchObject({ action: 'verb.refused', summary: expect.stringContaining('`sub run`') });
  });
});

it('what an agent tried without the ticket of its run is recorded with that run, and fails a strict one', async () => {
  const script = `rm $SUB_HOME/run/tickets/*\n${sub} allow add x.example --home ${home.home} || true`;
  const { code, stderr } = await agent(script, '--strict');
  expect(code).toBe(3);
  expect(stderr).toContain('refused verb.refused');
  const [run] = await records('runs');
  const [refused] = await records('query', '--refused', '--run', String(run?.['run_id']));
  expect(refused).toMatchObject({ action: 'verb.refused', run_id: run?.['run_id'] });
});

it('`sub call` takes actions on services alone', async () => {
  const payload = JSON.stringify({ host: 'added.example' });
  const { code, stderr } = await runSub(['call', 'allow.add', '--payload', payload, '--home', home.home]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('error[invalid_request]')]);
  expect(await records('allow', 'list')).toEqual([]);
});
