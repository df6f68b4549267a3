import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { askServer } from './ask-server.js';
import type { Launch } from './launch.js';

function server(program: string): Launch {
  const env = { PATH: process.env['PATH'] ?? '' };
  return { command: process.execPath, args: ['-e', program], env, cwd: tmpdir() };
}

it('a server that ignores its end, and leaves a child with its output, keeps nobody waiting', async () => {
  const stop = new AbortController();
  const asked = askServer(
    server(`
      process.on('SIGTERM', () => undefined);
      require('node:child_process').spawn('sleep', ['20'], { stdio: 'inherit' });
      setInterval(() => undefined, 1000);
      process.stderr.write('ready');
    `),
    stop.signal,
  );
  setTimeout(() => stop.abort(), 500);
  expect(await asked).toEqual({ problem: 'it was interrupted' });
}, 15_000);

it('a server that writes without end is given up', async () => {
  const endless = `const part = 'x'.repeat(1 << 20); const go = () => process.stdout.write(part, go); go();`;
  expect(await askServer(server(endless), new AbortController().signal)).toEqual({
    problem: 'it answers with too much',
  });
}, 30_000);
