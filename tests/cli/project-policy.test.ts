import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@subluminal/core-types';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { SUB, type Finished } from '../harness/sub.js';
import { bundle, deny } from '../gateway/policy-bundle.js';

const NAME = '.subluminal.yaml';
const text = (tool: string): string =>
  `policy_id: shop
version: "3"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-pushes
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: [${tool}] } }
    effect: { action: BLOCK, reason_code: PUSH, message: "" }
`;

let home: TestHome;
let root: string;
let shop: string;
beforeAll(async () => {
  home = createHome();
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sub-pp-')));
  shop = join(root, 'shop');
  mkdirSync(join(shop, 'src'), { recursive: true });
  writeFileSync(join(shop, NAME), text('push'));
  expect(await sub(['up'])).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await home.remove();
  rmSync(root, { recursive: true, force: true });
});

const sub = (args: readonly string[], more: object = {}): Promise<Finished> => {
  const at = args.indexOf('--');
  const own = at === -1 ? [...args, '--home', home.home] : args.toSpliced(at, 0, '--home', home.home);
  return runSub(own, { cwd: join(shop, 'src'), ...more });
};

/** The lines that `sub run` says of itself, and not of the run. */
const remarks = async (): Promise<string[]> => {
  const { stderr } = await sub(['run', '--', 'true']);
  return stderr.split('\n').filter((line) => line.includes(NAME));
};

it('a file that nobody has looked at is ignored, and named with what is next', async () => {
  expect(await remarks()).toEqual([
    `sub: \`${shop}/${NAME}\` has no effect until it is trusted (\`sub policy trust ${shop}\`)`,
  ]);
  const { stdout } = await sub(['runs', '--json']);
  const run = JSON.parse(stdout.split('\n')[0] ?? '') as Record<string, unknown>;
  expect(run).toMatchObject({
    project: shop,
    projects: [{ file: `${shop}/${NAME}`, state: 'untrusted' }],
  });
  expect((await sub(['runs'])).stdout).toMatch(/^RUN .* PROJECT .*\n.* shop /);
  expect((await sub(['show', String(run['run_id'])])).stdout).toMatch(
    /project policy +`.*` has no effect until it is trusted/,
  );
  expect((await sub(['policy', 'show', '--projects'])).stdout).toMatch(/no policy of a project is trusted/);
});

it('is shown and asked about, and a no changes nothing', async () => {
  const { code, stderr, stdout } = await sub(['policy', 'trust'], { input: 'n\n' });
  expect(code).toBe(3);
  expect(stdout).toContain(' 1 | policy_id: shop');
  expect(stdout).toContain('nothing was changed');
  expect(stderr).toContain(`let this text narrow every run in \`${shop}\`?`);
  expect(await remarks()).toHaveLength(1);
  expect(await sub(['policy', 'trust', '--json'])).toMatchObject({ code: 2 });
});

it('takes effect with a yes, and a change of the file shows itself against the text that is trusted', async () => {
  expect(await sub(['policy', 'trust', shop], { input: 'y\n' })).toMatchObject({ code: 0 });
  expect(await remarks()).toEqual([]);
  writeFileSync(join(shop, NAME), text('p*'));
  expect(await remarks()).toEqual([
    `sub: \`${shop}/${NAME}\` has changed: the text that was trusted stays in force (\`sub policy trust ${shop}\`)`,
  ]);
  expect(JSON.parse((await sub(['policy', 'diff', 'trusted', `../${NAME}`, '--json'])).stdout)).toMatchObject(
    {
      tightened: true,
    },
  );
  expect((await sub(['policy', 'show', '--projects'])).stdout).toMatch(/shop 3 +guardrails .* changed/);
  expect((await sub(['doctor'])).stdout.replaceAll(/\s+/g, ' ')).toContain(
    `warn projects \`${shop}/${NAME}\` has changed: the text that was trusted stays in force`,
  );
  const trusted = await sub(['policy', 'trust', '--yes', '--json']);
  expect(JSON.parse(trusted.stdout)).toMatchObject({
    file: `${shop}/${NAME}`,
    sha256: sha256Hex(text('p*')),
    previous_sha256: sha256Hex(text('push')),
  });
  expect((await sub(['policy', 'trust', '--yes'])).stderr).toContain('it is trusted already');
  const asked = ['policy', 'explain', '--if', '{"server": "git", "tool": "push"}'];
  expect((await sub(asked)).stdout).toMatch(
    new RegExp(`the strictest answer holds: that of\\s+\`${shop}/${NAME}\``),
  );
  expect((await sub([...asked, '--project', root])).stdout).not.toContain('strictest');
});

it('neither changes nor goes from inside a run, and the attempt is recorded', async () => {
  for (const verb of ['trust', 'untrust']) {
    const inner = [process.execPath, SUB, 'policy', verb, ...(verb === 'trust' ? ['--yes'] : [])];
    const { code, stderr } = await sub(['run', '--', ...inner]);
    expect([code, stderr]).toEqual([3, expect.stringContaining('inside_run')]);
  }
  const { stdout } = await sub(['query', '--json']);
  expect(stdout.match(/`sub policy (?:un)?trust` is refused inside a run/g)).toHaveLength(2);
  expect((await sub(['policy', 'show', '--projects'])).stdout).toContain('as trusted');
});

it('goes without its file, too', async () => {
  rmSync(join(shop, NAME));
  expect(await remarks()).toEqual([
    `sub: \`${shop}/${NAME}\` is gone: the text that was trusted stays in force (\`sub policy show --projects\`)`,
  ]);
  expect(await sub(['policy', 'untrust', root])).toMatchObject({ code: 1 });
  expect((await sub(['policy', 'untrust'])).stdout).toBe(`not trusted any more: ${shop}/${NAME}\n`);
  expect(await remarks()).toEqual([]);
});

it('with a mistake is not taken, and a rule without effect is told', async () => {
  const file = join(shop, NAME);
  writeFileSync(file, 'rules: [');
  expect(await sub(['policy', 'trust', '--yes'])).toMatchObject({ code: 1 });
  const allow = {
    ...deny('all', '*'),
    kind: 'allow',
    effect: { action: 'ALLOW', reason_code: 'R', message: '' },
  };
  writeFileSync(file, bundle([allow]));
  const { code, stdout } = await sub(['policy', 'lint', file]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('allow `all` has no effect here')]);
  writeFileSync(join(root, 'policy.yaml'), bundle([allow]));
  expect((await sub(['policy', 'lint', join(root, 'policy.yaml')])).stdout).toMatch(/0 warnings/);
});
