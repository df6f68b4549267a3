import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openLedgerReader } from '@subluminal/ledger';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually } from '../harness/processes.js';
import { finished, runSub, SUB } from '../harness/sub.js';

const node = process.execPath;

let home: TestHome;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.remove());

/** `sub run -- CMD…` on the test's home. */
const run = (...command: string[]) => runSub(['run', '--home', home.home, '--', ...command]);

async function newestRun(): Promise<unknown> {
  const { stdout } = await runSub(['runs', '--home', home.home, '--json', '--limit', '1']);
  return JSON.parse(stdout);
}

describe('sub run', () => {
  it('starts the gateway by itself, and passes exit code 0 and the output through', async () => {
    const outcome = await run(node, '-e', 'console.log("from the command")');
    expect(outcome).toMatchObject({ code: 0, stdout: 'from the command\n' });
    expect(outcome.stderr).toMatch(
      /^(?:sub: `[^\n]* of Node [^\n]* heed no proxy: [^\n]*\n)?sub: run \S+ succeeded in \S+: 0 calls, 0 refused, 0 failed\n$/,
    );
    expect(await newestRun()).toMatchObject({ status: 'SUCCEEDED', attested: true, agent_id: 'node' });
  });

  it('passes another exit code through, and the run has failed', async () => {
    expect((await run(node, '-e', 'process.exit(42)')).code).toBe(42);
    expect(await newestRun()).toMatchObject({ status: 'FAILED' });
  });

  it('answers 128 + n when a signal ended the command', async () => {
    expect(
      (await run(node, '-e', 'process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)')).code,
    ).toBe(137);
    expect(await newestRun()).toMatchObject({ status: 'FAILED' });
  });

  it('answers 127 for a command that is not there, and the run has failed', async () => {
    const outcome = await run('no-such-command-anywhere');
    expect(outcome.code).toBe(127);
    expect(outcome.stderr).toContain('error[failed]: `no-such-command-anywhere` was not found\nhelp: ');
    expect(await newestRun()).toMatchObject({ status: 'FAILED' });
  });

  it('hands SIGTERM on, and the run is cancelled', async () => {
    const script =
      'process.on("SIGTERM", () => process.exit(9)); console.log("ready"); setInterval(() => {}, 1000)';
    const child = spawn(node, [SUB, 'run', '--home', home.home, '--', node, '-e', script], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const outcome = finished(child, 30_000);
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await outcome).code).toBe(9);
    expect(await newestRun()).toMatchObject({ status: 'CANCELLED' });
  });

  it('a server that the command puts behind the gateway of another home says so', async () => {
    const other = createHome();
    try {
      expect(await runSub(['up', '--home', other.home])).toMatchObject({ code: 0 });
      const shim = (of: TestHome) => [SUB, 'shim', 'stdio', '--home', of.home, '--server', 'files', '--'];
      const elsewhere = await run(node, ...shim(other), node, '-e', '');
      expect(elsewhere.stderr).toContain(
        `this server is behind the gateway of \`${other.home}\`, and the run that it was started in is of \`${home.home}\``,
      );
      expect((await run(node, ...shim(home), node, '-e', '')).stderr).not.toContain(
        'is behind the gateway of',
      );
    } finally {
      await other.remove();
    }
  });

  it('gives the command the variables of the contract', async () => {
    const names = ['SUB_RUN_ID', 'SUB_AGENT_ID', 'SUB_ENV', 'SUB_CLIENT', 'SUB_PRINCIPAL'];
    const script = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name])))`;
    const outcome = await runSub(
      [
        'run',
        '--home',
        home.home,
        '--agent',
        'fixer',
        '--env',
        'prod',
        '--client',
        'codex',
        '--',
        node,
        '-e',
        script,
      ],
      { env: { ...process.env, SUB_PRINCIPAL: 'release-bot' } },
    );
    const values: unknown = JSON.parse(outcome.stdout);
    expect(values).toEqual([
      expect.stringMatching(/^[0-9A-Z]{26}$/),
      'fixer',
      'prod',
      'codex',
      'release-bot',
    ]);
    expect(await newestRun()).toMatchObject({
      run_id: Array.isArray(values) ? values[0] : undefined,
      agent_id: 'fixer',
      env: 'prod',
      client: 'codex',
      principal: 'release-bot',
    });
  });

  it('says that its agent is named where a flag names it, and not where the environment does', async () => {
    const started = (...flags: readonly string[]) =>
      runSub(['run', '--home', home.home, ...flags, '--', node, '-e', '0'], {
        env: { ...process.env, SUB_AGENT_ID: 'lead' },
      });
    const newest = (): unknown => {
      const reader = openLedgerReader(home.ledger);
      const [start] = reader.byType('run_start', { order: 'desc', limit: 1 }).rows;
      reader.close();
      return start?.data;
    };
    await started();
    const unnamed = newest();
    expect(unnamed).toMatchObject({ agent_id: 'lead', attested: true });
    expect(unnamed).not.toMatchObject({ run: { named: true } });
    await started('--agent', 'lead');
    expect(newest()).toMatchObject({ agent_id: 'lead', attested: true, run: { named: true } });
  });

  it('gives the command a token for HTTP that is its own, and no other secret', async () => {
    const script = `console.log(JSON.stringify([process.env.SUB_RUN_ID, process.env.SUB_HTTP_TOKEN, Object.keys(process.env).filter((name) => name.startsWith('SUB_') && name !== 'SUB_BUILT').sort()]))`;
    const { stdout } = await run(node, '-e', script);
    const [id, token, names]: [string, string, string[]] = JSON.parse(stdout);
    expect(token).toMatch(new RegExp(`^subr_${id}_[A-Za-z0-9_-]{43}$`));
    expect(names).toEqual([
      'SUB_AGENT_ID',
      'SUB_CLIENT',
      'SUB_ENV',
      'SUB_HOME',
      'SUB_HTTP_TOKEN',
      'SUB_PRINCIPAL',
      'SUB_RUN_ID',
    ]);
  });

  it('inside a run keeps the outer run', async () => {
    const script = 'console.log(process.env.SUB_RUN_ID)';
    const inner = [node, SUB, 'run', '--home', home.home, '--agent', 'inner', '--', node, '-e', script];
    const outcome = await run(...inner);
    expect(outcome.code).toBe(0);
    expect(await newestRun()).toMatchObject({ run_id: outcome.stdout.trim(), agent_id: 'node' });
  });

  it('writes its ticket before the command starts, closed to others, and removes it afterwards', async () => {
    const tickets = join(home.home, 'run', 'tickets');
    const script = `console.log(JSON.stringify(require('fs').readdirSync(${JSON.stringify(tickets)}).map((name) => (require('fs').statSync(${JSON.stringify(`${tickets}/`)} + name).mode & 0o777).toString(8))))`;
    expect((await run(node, '-e', script)).stdout).toBe('["600"]\n');
    expect(statSync(tickets).mode & 0o777).toBe(0o700);
    expect(readdirSync(tickets)).toEqual([]);
  });

  it('killed, it leaves a run that the gateway ends', async () => {
    const child = spawn(
      node,
      [SUB, 'run', '--home', home.home, '--', node, '-e', 'console.log(1); setTimeout(() => {}, 3000)'],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await eventually('the run ends', async () => JSON.stringify(await newestRun()).includes('"ended_at":"2'));
    expect(await newestRun()).not.toMatchObject({ status: 'SUCCEEDED' });
  });

  it('does not start a gateway when autostart is off', async () => {
    const still = createHome({ config: 'autostart = false\n' });
    try {
      const outcome = await runSub(['run', '--home', still.home, '--', node, '-e', 'console.log("ran")']);
      expect(outcome).toMatchObject({ code: 5, stdout: '' });
      expect(existsSync(still.ledger)).toBe(false);
    } finally {
      await still.remove();
    }
  });
});
