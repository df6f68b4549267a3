import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { thisMachine } from '../clients/place/machine.js';
import { HOOK_CLIENTS } from './all.js';
import { hookCoverage } from './coverage.js';

let user: string;
beforeEach(() => {
  user = mkdtempSync(join(tmpdir(), 'hook-coverage-'));
  for (const folder of ['.claude', '.codex']) mkdirSync(join(user, folder));
});
afterEach(() => rmSync(user, { recursive: true }));

it.each(HOOK_CLIENTS)('hooks of $name whose program is gone start nothing, and it is said', (client) => {
  const where = thisMachine(
    { HOME: user, CODEX_HOME: join(user, '.codex'), CLAUDE_CONFIG_DIR: join(user, '.claude') },
    user,
  );
  const program = join(user, '.subluminal/sub');
  mkdirSync(join(user, '.subluminal'));
  writeFileSync(program, '');
  const setup = {
    node: program,
    program: undefined,
    home: join(user, '.subluminal'),
    port: 4711,
    enrolToken: 't',
    blockedWhenAway: [],
    passedWhenAway: [],
  };
  for (const file of client.files(where)) writeFileSync(file.path, file.installed('', setup));
  expect(hookCoverage(client, where, undefined)).toMatchObject({ state: 'installed', problem: undefined });
  rmSync(program);
  expect(hookCoverage(client, where, undefined).problem).toBe(
    `\`${program}\` is not there, so that its hooks start nothing: run \`sub hooks install ${client.name}\` again`,
  );
});
