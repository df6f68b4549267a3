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

it('a server that ends with an error is told of by its own last words, without credentials and stacks', async () => {
  const program = `
    console.error('sub shim: the server was not given these variables of its client: A');
    console.error('reading the config');
    console.error('with ghp_abcdefghijklmnopqrstuvwxyz0123456789');
    throw new Error('DATABASE_URL is not set');`;
  const asked = await askServer(server(program), new AbortController().signal);
  const { problem } = asked as { problem: string };
  expect(problem).toMatch(
    /^it ended before it answered\. Its last words: .*with \[REDACTED\] \| .*Error: DATABASE_URL is not set$/,
  );
  expect(problem).not.toMatch(/variables of its client|ghp_|Node\.js v/);
});

it('of last words without end the last are kept', async () => {
  const program = `process.stderr.write('x'.repeat(1 << 20) + '\\n' + 'y'.repeat(1 << 12) + '\\nlast'); process.exitCode = 1`;
  const asked = await askServer(server(program), new AbortController().signal);
  const { problem } = asked as { problem: string };
  expect(problem).toMatch(/\| last$/);
  expect(problem.length).toBeLessThan(500);
});

it('a server that writes without end is given up', async () => {
  const endless = `const part = 'x'.repeat(1 << 20); const go = () => process.stdout.write(part, go); go();`;
  expect(await askServer(server(endless), new AbortController().signal)).toEqual({
    problem: 'it answers with too much',
  });
}, 30_000);

it('an error that a server answers with is told without credentials, and cut', async () => {
  const program = `
    const message = 'no access with ghp_abcdefghijklmnopqrstuvwxyz0123456789 ' + 'x'.repeat(1 << 20);
    process.stdin.once('data', () => {
      console.log(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: 1, message } }));
    });`;
  const asked = await askServer(server(program), new AbortController().signal);
  const { problem } = asked as { problem: string };
  expect(problem).toMatch(/^no access with \[REDACTED\] x+…$/);
  expect(problem.length).toBeLessThan(500);
});

it('a server that answers with an error without words has no tools', async () => {
  const program = `process.stdin.once('data', () => console.log('{"jsonrpc":"2.0","id":1,"error":{"code":1}}'));`;
  expect(await askServer(server(program), new AbortController().signal)).toEqual({
    problem: 'it answers with an error',
  });
});
