import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ran, readHome, type ReadHome } from '../harness/in-process.js';
import { recordCall, recordedRun } from '../harness/recorded.js';

const RUN = '01M8AAAAAAAAAAAAAAAAQQZC3M';
let at: ReadHome;
beforeAll(async () => {
  at = await readHome();
  await at.ledger.append({ entries: [recordedRun(RUN, Date.now())] });
  for (const [index, server] of ['files', '$(touch owned)', 'claude:builtin'].entries())
    await recordCall(at.ledger, {
      runId: RUN,
      callId: `call-${index}`,
      ts: Date.now(),
      tool: [server, 'read'],
      args: {},
    });
});
afterAll(() => at.remove());

const values = async (kind: string): Promise<string> => (await at.sub(['completion', 'values', kind])).stdout;

it('`sub completion values` lists runs by the part that tables show, and servers', async () => {
  expect(await values('runs')).toBe('QQZC3M\tagent, running\n');
  expect((await values('servers')).split('\n').toSorted()).toEqual([
    '',
    'claude:builtin\tserver',
    'files\tserver',
  ]);
});

it('is silent about what only a gateway knows where there is none', async () => {
  for (const kind of ['hosts', 'approvals'])
    expect(await at.sub(['completion', 'values', kind])).toEqual({ code: 0, stdout: '', stderr: '' });
});

it('bash offers the values of the place, and runs nothing that a name has in it', async () => {
  const { stdout: script } = await ran(['completion', 'bash']);
  const bin = join(at.home, 'bin');
  mkdirSync(bin);
  // Stands for `sub`: says what a hostile record could, and no filter of ours is between.
  const said = String.raw`printf '%s\t%s\n' QQZC3M agent '$(touch owned)' server`;
  writeFileSync(join(bin, 'sub'), `#!/bin/sh\n${said}\n`, { mode: 0o755 });
  const ask = (words: string): string =>
    execFileSync(
      'bash',
      [
        '-c',
        `${script}\ncompopt() { :; }\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _sub; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      { encoding: 'utf8', cwd: at.home, env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } },
    );
  expect(ask(`sub query --run ''`)).toBe('QQZC3M\n$(touch owned)\n');
  expect(ask(`sub query --run Q`)).toBe('QQZC3M\n');
  expect(ask(`sub query --decision h`)).toBe('hinted\n');
  expect(ask(`sub approvals a`)).toBe('approve\n');
  expect(existsSync(join(at.home, 'owned'))).toBe(false);
});
