import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundle } from '../gateway/policy-bundle.js';
import { runClaude, writeConfig } from './claude.js';
import { describeWith } from './client.js';
import { PINS } from './fetch.mjs';
import { startInteractive } from './interactive.js';
import { ASKS } from './questions.js';
import { openStage, type Stage } from './stage.js';

const SERVER = fileURLToPath(new URL('hook-server.mjs', import.meta.url));
const bash = (command: string) => ({ calls: [{ tool: 'Bash', input: { command } }] });
const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'];
/** A hook that agrees to each call that the window would ask about. */
const AGREES = {
  PermissionRequest: [
    {
      hooks: [
        {
          type: 'command',
          command: `echo '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}'`,
        },
      ],
    },
  ],
};

/** Facts about the client for which the gateway never answers `ask`: see docs/decisions/09. */
describeWith(PINS.claude, 'and a hook that has its window ask', ({ program }) => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage();
    writeConfig(stage);
    mkdirSync(join(stage.user, '.claude'), { recursive: true });
    const server = stage.start([process.execPath, SERVER]);
    if (server.stdout === null) throw new Error('it has no stdout');
    const [port] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const hook = { type: 'http', url: `http://127.0.0.1:${port}/`, timeout: 10 };
    const settings = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } };
    writeFileSync(join(stage.user, '.claude/settings.json'), JSON.stringify(settings));
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it.each(MODES)('does not make the call in the mode `%s` where it has no window', async (mode) => {
    stage.model.play([bash('touch ask'), { text: 'finished' }]);
    const more = ['--permission-mode', mode, '--settings', JSON.stringify({ hooks: AGREES })];
    expect(await runClaude(stage, program, [], [...more, '--allowedTools', 'Bash'])).toMatchObject({
      code: 0,
    });
    expect(existsSync(join(stage.project, 'ask'))).toBe(false);
  });

  it.each(['default', 'acceptEdits'])(
    'makes it in the mode `%s` without a key where the agent has written a hook into the project',
    async (mode) => {
      const settings = JSON.stringify({ hooks: AGREES });
      stage.model.play([
        bash(`mkdir -p .claude && cat > .claude/settings.local.json <<'END'\n${settings}\nEND`),
        bash('sleep 2'),
        bash('touch ask'),
        { text: 'finished' },
      ]);
      const client = startInteractive(stage, program, ['--permission-mode', mode, '--allowedTools', 'Bash']);
      try {
        await client.shows(/shortcuts|effort|❯/);
        client.type('go');
        await client.shows(/go/);
        client.type('\r');
        await client.shows(/finished/);
        expect(existsSync(join(stage.project, 'ask'))).toBe(true);
      } finally {
        await client.close();
        rmSync(join(stage.project, '.claude'), { recursive: true, force: true });
        rmSync(join(stage.project, 'ask'), { force: true });
      }
    },
    180_000,
  );
});

describeWith(PINS.claude, 'with hooks and a terminal', ({ program }) => {
  let stage: Stage;
  const policy = bundle([ASKS], { mode: 'control' });

  beforeAll(async () => {
    stage = await openStage(policy);
    writeConfig(stage);
    mkdirSync(join(stage.user, '.claude'), { recursive: true });
    expect(await stage.runSub('hooks', 'install', 'claude')).toMatchObject({ code: 0 });
  }, 180_000);
  afterAll(() => stage.close(), 60_000);

  it('shows there that a question waits', async () => {
    stage.model.play([bash('touch asked.txt'), { text: 'finished' }]);
    const client = startInteractive(stage, program, ['--permission-mode', 'acceptEdits']);
    try {
      await client.shows(/shortcuts|effort|❯/);
      client.type('go');
      await client.shows(/go/);
      client.type('\r');
      await client.shows(/finished/);
      expect(client.written()).toContain('\u001b]9;sub asks: this is asked about\u0007\u0007');
      expect(existsSync(join(stage.project, 'asked.txt'))).toBe(false);
    } finally {
      await client.close();
    }
  }, 180_000);
});
