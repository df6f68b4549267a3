import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { after } from '../gateway/harness.js';
import { SUB } from '../harness/sub.js';
import { hookWorld } from './world.js';

it('the server that answers the hooks of Codex goes on where its mark cannot be written, and says so', async () => {
  const { gateway } = await hookWorld();
  const { home, hooksDir } = gateway.paths;
  // A folder cannot be made below a file.
  writeFileSync(hooksDir, '');
  const child = spawn(process.execPath, [SUB, 'hooks', 'serve', 'codex', '--home', home], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  after(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  const answers: unknown[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => answers.push(JSON.parse(line)));
  for (const [at, method] of ['initialize', 'tools/list', 'ping'].entries())
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: at + 1, method })}\n`);
  await expect.poll(() => answers.length, { timeout: 20_000 }).toBe(3);
  expect(answers.at(-1)).toEqual({ jsonrpc: '2.0', id: 3, result: {} });
  await expect.poll(() => said).toContain('the mark of this server cannot be written');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.stdin.end();
  expect(await ended).toBe(0);
});
