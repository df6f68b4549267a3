import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { runSub } from '../harness/sub.js';
import { treeOf } from './homes.js';

const ECHO = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const SUB = fileURLToPath(new URL('../../packages/cli/bin/sub.mjs', import.meta.url));

let at: TestHome;
let user: string;
beforeAll(() => {
  at = createHome();
  user = join(at.root, 'user');
  mkdirSync(join(user, '.claude/projects/p'), { recursive: true });
  const servers = {
    echo: { command: process.execPath, args: [ECHO], env: { ECHO_LOG: '${NOT_SET:-/dev/null}' } },
    gone: { command: '/nowhere/server' },
    asks: { command: process.execPath, args: ['${SOME_FOLDER}'] },
  };
  writeFileSync(join(user, '.claude.json'), JSON.stringify({ mcpServers: servers }, null, 2));
  const call = { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'cat ~/.ssh/id_rsa' } };
  const line = {
    type: 'assistant',
    cwd: '/',
    timestamp: new Date().toISOString(),
    message: { content: [call] },
  };
  writeFileSync(join(user, '.claude/projects/p/s.jsonl'), `${JSON.stringify(line)}\n`);
});
afterAll(() => at.remove());

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: user,
  TERM: 'xterm',
  NO_COLOR: '1',
  SUB_HOME: at.home,
});

/** `sub init` on a terminal, whose person answers each question as it comes. */
function onTerminal(
  answers: readonly (readonly [RegExp, string])[],
): Promise<{ code: number | null; said: string }> {
  const child = spawn('script', ['-qec', `'${process.execPath}' '${SUB}' init`, '/dev/null'], {
    env: environment(),
    cwd: user,
  });
  const left = [...answers];
  let said = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    const [question, answer] = left[0] ?? [];
    if (question === undefined || !question.test(said.slice(seen))) return;
    seen = said.length;
    left.shift();
    child.stdin.write(answer ?? '');
  });
  return new Promise((done) => child.once('close', (code) => done({ code, said })));
}

describe.runIf(existsSync('/usr/bin/script') && process.platform === 'linux')(
  'sub init on a terminal',
  () => {
    it('called off by Ctrl-C or the end of the input changes nothing more, and says what stands', async () => {
      const before = treeOf(user);
      const first = await onTerminal([[/which one\?/, '\u0003']]);
      expect(first.said).toMatch(/stopped before policy, gateway, .*; nothing was changed/);
      expect(first.code).toBe(130);
      const second = await onTerminal([
        [/which one\?/, 'n\n'],
        [/Start the gateway\?/, '\u0004'],
      ]);
      expect(second.said).toMatch(
        /stopped before gateway, .*; nothing was changed[^]*go on: `sub init` again/,
      );
      expect(treeOf(user)).toEqual(before);
      expect(existsSync(join(at.home, 'policy.yaml'))).toBe(false);
    });

    it('looks back, asks before each step, shows the difference, and tries what it has routed', async () => {
      const { said } = await onTerminal([
        [/which one\?/, '\n'],
        [/Start the gateway\?/, '\n'],
        [/put echo, gone, asks behind the gateway\?/, 'd\n'],
        [/put echo, gone, asks behind the gateway\?/, 'y\n'],
        [/ask the gateway, by hooks\?/, 'n\n'],
        [/Start each server once/, '\n'],
      ]);
      expect(said).toMatch(/In the last 7 days Claude Code made 1 call in 1 session/);
      expect(said).toMatch(/developer-laptop would have asked 0 times and refused 1 \(credentials 1\)/);
      expect(said).toMatch(/observe-everything is in/);
      expect(said).toMatch(/"--server", "echo"/);
      expect(said).toMatch(/own tools +skipped/);
      expect(said).toMatch(/echo: 1 tool/);
      expect(said).toMatch(/asks: not tried, the client puts values in the place/);
      expect(said.replaceAll(/\s+/g, ' ')).toMatch(
        /`gone` does not answer through the gateway: .*`\/nowhere\/server` was not found/,
      );
      expect(said).toMatch(/next: restart Claude Code; then `sub tail`/);
      expect(said).toMatch(/mend what is named above, then run `sub init --try`/);
      const runs = await runSub(['runs', '--json'], { env: environment() });
      expect(runs.stdout).toMatch(/"agent_id":"sub-init"/);
    });
  },
);

describe('a server that failed', () => {
  it('is tried again by `sub init --try`, though nothing is new, and says why it failed', async () => {
    const other = createHome();
    const home = join(other.root, 'user');
    mkdirSync(home, { recursive: true });
    const setting = join(home, 'setting');
    const program = `if (!require('fs').existsSync(process.argv[1])) throw new Error('no setting');`;
    const args = ['-e', `${program} import(process.argv[2])`, setting, ECHO];
    const servers = { moody: { command: process.execPath, args, env: { ECHO_LOG: '/dev/null' } } };
    writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers: servers }));
    const env = { ...environment(), HOME: home, SUB_HOME: other.home };
    const init = (...flags: string[]) => runSub(['init', '--yes', ...flags], { env, cwd: home });
    try {
      const first = await init();
      expect([first.code, first.stderr]).toEqual([1, expect.stringMatching(/Error: no[\s]+setting/)]);
      const file = readFileSync(join(home, '.claude.json'), 'utf8');
      expect((await init('--try')).code).toBe(1);
      writeFileSync(setting, '');
      const mended = await init('--try');
      expect([mended.code, mended.stdout]).toEqual([0, expect.stringContaining('moody: 1 tool')]);
      expect(mended.stderr).toBe('everything is set up already: nothing was changed\n');
      expect(readFileSync(join(home, '.claude.json'), 'utf8')).toBe(file);
    } finally {
      await other.remove();
    }
  });
});

describe('sub init that cannot go on', () => {
  it('says what happened, changes no client, and goes on where it stopped', async () => {
    const other = createHome({ config: '[egress\n' });
    try {
      const env = { ...environment(), SUB_HOME: other.home };
      const before = readFileSync(join(user, '.claude.json'), 'utf8');
      const { code, stdout, stderr } = await runSub(['init', '--yes', '--skip', 'try'], { env, cwd: user });
      expect(code).toBe(1);
      expect(stdout).toMatch(/policy +observe-everything is in/);
      expect(stderr).toMatch(
        /gateway +.*config\.toml. line 2[^]*stopped before servers, own tools, tried; done, and stays: policy[^]*undo: `sub uninstall`/,
      );
      expect(readFileSync(join(user, '.claude.json'), 'utf8')).toBe(before);
    } finally {
      await other.remove();
    }
  });

  it('begins with the starter policy for CI, where that is asked for', async () => {
    const other = createHome();
    try {
      const env = { ...environment(), SUB_HOME: other.home, CI: '1' };
      const flags = ['--yes', '--policy', 'ci-strict', '--skip', 'servers', '--skip', 'hooks'];
      const { code, stdout } = await runSub(['init', ...flags], { env, cwd: user });
      expect([code, stdout]).toEqual([0, expect.stringMatching(/policy +ci-strict is in/)]);
    } finally {
      await other.remove();
    }
  });

  it('is refused inside of a run', async () => {
    const env = environment();
    const { code, stderr } = await runSub(['run', '--', process.execPath, SUB, 'init', '--yes'], {
      env,
      cwd: user,
    });
    expect([code, stderr]).toEqual([3, expect.stringContaining('error[inside_run]')]);
  });

  it('takes back with the uninstall what it has done', async () => {
    const env = environment();
    expect(await runSub(['uninstall', '--yes'], { env, cwd: user })).toMatchObject({ code: 0 });
    await eventually('the home is gone', () => !existsSync(at.home));
    expect(readFileSync(join(user, '.claude.json'), 'utf8')).toContain('"/nowhere/server"');
    expect(readFileSync(join(user, '.claude.json'), 'utf8')).not.toContain('--server');
  });
});
