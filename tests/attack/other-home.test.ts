import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub, SUB } from '../harness/sub.js';

let home: TestHome;
let empty: string;
beforeAll(async () => {
  home = createHome();
  expect(await runSub(['up', '--home', home.home])).toMatchObject({ code: 0 });
  empty = join(home.root, 'empty');
  mkdirSync(empty, { mode: 0o700 });
});
afterAll(() => home.remove());

it.each([
  ['policy init', ['observe-everything', '$SUB_HOME/policy.yaml', '--force']],
  ['policy sign', ['$SUB_HOME/policy.yaml', '--key', 'some.key']],
  ['secrets add', ['token', '--keychain']],
  ['secrets remove', ['token', '--keychain']],
  ['witness', ['--state', './state', '--log', 'x']],
])('`sub %s` is refused inside a run that lives in another home than the named one', async (verb, args) => {
  const script = `"${process.execPath}" "${SUB}" ${verb} ${args.join(' ')} --home ${empty}`;
  const { code, stderr } = await runSub(['run', '--home', home.home, '--', 'sh', '-c', script]);
  expect([code, stderr]).toEqual([3, expect.stringContaining('error[inside_run]')]);
  const { stdout } = await runSub(['query', '--refused', '--home', home.home, '--json']);
  expect(stdout).toContain(`\`sub ${verb}\` is refused inside a run`);
  expect(existsSync(join(home.home, 'policy.yaml'))).toBe(false);
});
