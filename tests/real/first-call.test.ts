import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { node24 } from '../proxy/node24.js';
import { configOf, runClaude, writeConfig } from './claude.js';
import { describeWith } from './client.js';
import { PINS } from './fetch.mjs';
import { openStage, type Stage } from './stage.js';
import { TURN } from './turn.js';

const PACK = fileURLToPath(new URL('../../scripts/pack.mjs', import.meta.url));

describeWith(PINS.claude, 'and the package from its tarball', ({ program }) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    writeConfig(stage);
    writeFileSync(join(stage.project, 'note.txt'), 'what stands in the note\n');
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  /** Runs one step of a new user, and prints how long it took. */
  async function step(
    title: string,
    work: () => Promise<{ readonly code: number | null; readonly stdout: string }>,
  ): Promise<string> {
    const started = performance.now();
    const { code, stdout } = await work();
    process.stdout.write(`  ${((performance.now() - started) / 1000).toFixed(2).padStart(6)} s  ${title}\n`);
    expect(code, title).toBe(0);
    return stdout;
  }

  it('come from `npm install`, without a network, to the first line of `sub tail` in five commands', async (test) => {
    // The package needs a newer one than the tree does.
    const { program: node, missing } = node24();
    if (missing !== undefined) return test.skip(missing);
    const env = { PATH: `${dirname(node)}${delimiter}${stage.env['PATH']}` };
    const [packages, app] = [join(stage.sub.root, 'packages'), join(stage.sub.root, 'app')];
    const packed = spawnSync(process.execPath, [PACK, packages], { encoding: 'utf8' });
    expect(packed).toMatchObject({ status: 0 });
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"private":true}\n');
    const launcher = join(stage.sub.home, 'sub');
    const sub = join(app, 'node_modules/.bin/sub');

    const flags = ['--prefix', app, '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await step('npm install', () => stage.run(['npm', 'install', ...flags, packed.stdout.trim()], env));
    await step('sub up', () => stage.run([sub, 'up'], env));
    await step('sub import claude', () => stage.run([sub, 'import', 'claude'], env));
    expect(readFileSync(configOf(stage), 'utf8')).toContain(JSON.stringify(launcher));
    expect(readFileSync(launcher, 'utf8')).toContain(`${app}/node_modules/@subluminal/cli/`);
    stage.model.play(TURN);
    await step('claude -p …', () => runClaude(stage, program));
    const line = await step('sub tail -n 1', () => stage.run([sub, 'tail', '-n', '1', '--no-follow'], env));
    process.stdout.write(`            ${line}`);
    expect(line).toMatch(/ok +everything\.get-sum/);
    await stage.isQuiet();
  });
});
