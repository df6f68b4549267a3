import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { elsewhere } from '../gateway/elsewhere.js';
import { finished, shimCommand, SUB } from '../harness/sub.js';
import { node24 } from './node24.js';
import { ALLOWED, http, https, proxyWorld } from './world.js';

/** Fetches each address, and says on stderr what came: a line each. */
const SCRIPT = `import { inspect } from 'node:util';
for (const url of process.argv.slice(1)) {
  const said = await fetch(url).then(
    async (answer) => answer.status + ' ' + (await answer.text()),
    (error) => 'failed ' + inspect(error, { depth: 9 }),
  );
  console.error(said.trim().replaceAll(/\\s+/g, ' '));
}`;

const { program, missing } = node24();

describe.skipIf(missing !== undefined)(
  `plain fetch of Node 24${missing === undefined ? '' : ` (skipped: ${missing})`}`,
  () => {
    it('goes through the proxy in a run and behind a shim, and reads why something is refused', async () => {
      const world = await proxyWorld({ holder: elsewhere() });
      const [plain, secure] = await Promise.all([
        http((_, response) => void response.end('hello')),
        https(world.authority, (_, response) => void response.end('hello')),
      ]);
      const urls = [
        `https://${ALLOWED}:${secure}/`,
        `http://${ALLOWED}:${plain}/`,
        'https://evil.example/',
        'http://evil.example/',
      ];
      const fetching = [program, '--input-type=module', '-e', SCRIPT, '--', ...urls];
      const { home } = world.gateway.paths;
      const env = { PATH: process.env['PATH'], HOME: home, NODE_EXTRA_CA_CERTS: world.authority.caFile };
      const of = async (argv: readonly string[]) => {
        const [first = '', ...args] = argv;
        const child = spawn(first, args, { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
        return finished(child, 30_000);
      };
      const inRun = await of([process.execPath, SUB, 'run', '--home', home, '--', ...fetching]);
      const behindShim = await of(shimCommand(home, 'fetcher', fetching));
      for (const { code, stderr } of [inRun, behindShim]) {
        // What `sub` itself says at the end begins so.
        const said = stderr
          .trim()
          .split('\n')
          .filter((line) => !line.startsWith('sub: '));
        expect([code, said]).toEqual([
          0,
          [
            '200 hello',
            // In a tunnel, as the one before.
            '200 hello',
            expect.stringMatching(/^failed .*Proxy response \(403\)/),
            expect.stringMatching(/^failed .*Proxy response \(403\)/),
          ],
        ]);
      }
      expect(inRun.stderr).toContain(' 0 calls, 0 refused, 0 failed, 4 connections (2 refused)');
      const shown = /^sub: `sub (query --refused --run \S+)` shows what was refused$/m.exec(
        inRun.stderr,
      )?.[1];
      const found = await of([process.execPath, SUB, ...(shown ?? '').split(' '), '--home', home, '--json']);
      expect(found.stdout.trim().split('\n')).toHaveLength(2);
      const refused = world.news().filter(({ type }) => type === 'action_rejected');
      expect(refused.map(({ code, data }) => [code, data['destination'], data['facts']])).toEqual(
        [443, 80, 443, 80].map((port, at) => [
          'rejected',
          `tcp://evil.example:${port}`,
          expect.objectContaining(at < 2 ? { host: 'evil.example' } : { server_name: 'fetcher' }),
        ]),
      );
    });
  },
);
