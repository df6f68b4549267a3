import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLedgerReader, type LedgerRow } from '@subluminal/ledger';
import { afterEach, expect, it } from 'vitest';
import { bundle } from '../gateway/policy-bundle.js';
import { finished, type Finished, SUB } from '../harness/sub.js';
import { startClaude, writeConfig as writeClaude } from './claude.js';
import { describeWith } from './client.js';
import { startCodex, writeConfig as writeCodex } from './codex.js';
import { PINS } from './fetch.mjs';
import { questionsOf } from './questions.js';
import { openStage, type Stage } from './stage.js';

const FAULTY = fileURLToPath(new URL('faulty-gateway.mjs', import.meta.url));
const DEPLOYS = { command: { argv: ['*deploy.sh*'] } };
const POLICY = bundle(
  [
    {
      rule_id: 'deploys-are-protected',
      kind: 'tag',
      enabled: true,
      severity: 'info',
      match: DEPLOYS,
      effect: { tag: { add_risk_class: ['protected'] } },
    },
    {
      rule_id: 'deploys-after-a-checkpoint',
      kind: 'ask',
      enabled: true,
      severity: 'warn',
      match: { ...DEPLOYS, risk_class: ['no_checkpoint'] },
      effect: { action: 'ASK', message: 'nothing was checked in this stretch of work' },
    },
  ],
  { mode: 'control' },
);

const DEPLOY = 'sh deploy.sh';
const BYPASS = ['--permission-mode', 'bypassPermissions'];

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
}, 180_000);

async function opened(config: string): Promise<Stage> {
  const found = await openStage(POLICY);
  stage = found;
  mkdirSync(join(found.user, '.claude'), { recursive: true });
  writeFileSync(join(found.project, 'deploy.sh'), 'echo deployed >> deployed.txt\n');
  writeFileSync(join(found.project, 'f.txt'), 'a');
  appendFileSync(join(found.sub.home, 'config.toml'), config, { mode: 0o600 });
  return found;
}

/** How often it was deployed. */
function deployed({ project }: Stage): number {
  const path = join(project, 'deployed.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0;
}

function rowsOf({ sub }: Stage): readonly LedgerRow[] {
  const reader = openLedgerReader(sub.ledger);
  const { rows } = reader.all({ order: 'asc', limit: 1000 });
  reader.close();
  return rows;
}

const decisions = (of: Stage): readonly unknown[] =>
  rowsOf(of).flatMap(({ code, type }) => (type === 'tool_call_decision' ? [code] : []));

/** A client, and how a command is asked of it. */
interface Played {
  readonly name: 'claude' | 'codex';
  readonly write: (stage: Stage) => unknown;
  readonly run: (stage: Stage, program: string, before?: readonly string[]) => Promise<Finished>;
  readonly call: (command: string) => { readonly tool: string; readonly input: object };
}

const CLIENTS: readonly (readonly [keyof typeof PINS, Played])[] = [
  [
    'claude',
    {
      name: 'claude',
      write: writeClaude,
      run: (on, program, before = []) => finished(startClaude(on, program, before, BYPASS), 90_000),
      call: (command) => ({ tool: 'Bash', input: { command } }),
    },
  ],
  [
    'codex',
    {
      name: 'codex',
      write: writeCodex,
      run: (on, program, before = []) => finished(startCodex(on, program, before), 90_000),
      call: (cmd) => ({ tool: 'exec_command', input: { cmd } }),
    },
  ],
];

for (const [pin, { call, name, run, write }] of CLIENTS)
  describeWith(PINS[pin], 'under a plane', ({ program }) => {
    const play = (on: Stage, commands: readonly string[]): void =>
      on.model.play([...commands.map((command) => ({ calls: [call(command)] })), { text: 'finished' }]);

    it('makes a protected call once its work has a checkpoint, and not before', async () => {
      const on = await opened('\n[plane]\nprotected = "gate"\n');
      write(on);
      expect(await on.runSub('hooks', 'install', name)).toMatchObject({ code: 0 });
      play(on, ['cat f.txt', DEPLOY, 'node --test', DEPLOY]);
      expect(await run(on, program)).toMatchObject({ code: 0 });
      expect(decisions(on)).toEqual(['ALLOW', 'REJECT_WITH_HINT', 'ALLOW', 'ALLOW']);
      expect(deployed(on)).toBe(1);
      expect(JSON.stringify(on.model.asked)).toContain('nothing was checked in this stretch of work');
      expect(rowsOf(on).filter(({ type }) => type === 'plane.checkpoint')).toHaveLength(1);
    });

    it('waits for nothing as a director, in the run that the operator opened under that name', async () => {
      const on = await opened(`\n[plane]\nprotected = "gate"\ndirectors = ["${name}:lead"]\n`);
      write(on);
      expect(await on.runSub('hooks', 'install', name)).toMatchObject({ code: 0 });
      for (const [agent, made] of [
        ['hand', 0],
        ['lead', 1],
      ] as const) {
        play(on, ['cat f.txt', DEPLOY]);
        const before = [process.execPath, SUB, 'run', '--agent', agent, '--'];
        expect(await run(on, program, before)).toMatchObject({ code: 0 });
        expect(deployed(on)).toBe(made);
      }
      expect(decisions(on)).toEqual(['ALLOW', 'REJECT_WITH_HINT', 'ALLOW', 'ALLOW']);
    });

    it('makes a protected call once a person has said yes, and not before', async () => {
      const on = await opened('\n[plane]\nprotected = "gate"\n');
      write(on);
      expect(await on.runSub('hooks', 'install', name)).toMatchObject({ code: 0 });
      play(on, ['cat f.txt', DEPLOY, 'until [ -e agreed ]; do sleep 0.1; done', DEPLOY]);
      const running = run(on, program);
      const [question] = await questionsOf(on, DEPLOY, 1);
      expect(deployed(on)).toBe(0);
      expect(await on.runSub('approvals', 'approve', question?.id ?? '')).toMatchObject({ code: 0 });
      writeFileSync(join(on.project, 'agreed'), '');
      expect(await running).toMatchObject({ code: 0 });
      expect(deployed(on)).toBe(1);
      expect(rowsOf(on).filter(({ type }) => type === 'plane.checkpoint')).toEqual([]);
    });

    it.each([
      ['throws', 0],
      ['is slow, and then throws', 150],
    ])('works on where the plane %s', async (_, ms) => {
      const on = await opened('\n[plane]\nlow = "steer"\nordinary = "steer"\nprotected = "steer"\n');
      write(on);
      // In the network of the stage, where the client looks for it.
      const gateway = on.start([process.execPath, FAULTY, on.sub.home, on.sub.headsLog, String(ms)]);
      try {
        if (gateway.stdout === null) throw new Error('no output');
        await once(gateway.stdout, 'data');
        expect(await on.runSub('hooks', 'install', name)).toMatchObject({ code: 0 });
        const edits = Array.from({ length: 6 }, (__, at) => `echo ${at} >> f.txt`);
        play(on, ['cat f.txt', ...edits, DEPLOY]);
        expect(await run(on, program)).toMatchObject({ code: 0 });
        expect(readFileSync(join(on.project, 'f.txt'), 'utf8')).toBe('a0\n1\n2\n3\n4\n5\n');
        expect(deployed(on)).toBe(1);
        expect(decisions(on)).toEqual(Array.from({ length: 8 }, () => 'ALLOW'));
        expect(rowsOf(on).filter(({ type }) => type.startsWith('plane.'))).toEqual([]);
        const { stdout } = await on.runSub('plane', 'status');
        expect(stdout).toMatch(/\d+ events? of agents could not be followed/);
      } finally {
        gateway.kill('SIGTERM');
        if (gateway.exitCode === null && gateway.signalCode === null) await once(gateway, 'exit');
      }
    });
  });
