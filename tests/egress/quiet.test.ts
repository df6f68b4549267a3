import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Stage, whyNoTrace, type Step } from './kit/stage.js';

const missing = whyNoTrace();
const AGENT = 'setTimeout(() => undefined, 500)';

/** Verbs that nobody would expect to go anywhere. */
const VERBS: readonly (readonly [string, readonly string[]])[] = [
  ['status', ['status']],
  ['doctor', ['doctor']],
  ['bundle', ['doctor', '--bundle', 'bundle.txt', '--with-policy']],
  ['runs', ['runs']],
  ['query', ['query']],
  ['tail', ['tail', '--no-follow']],
  ['stats', ['stats']],
  ['report', ['report', '--html']],
  ['verify', ['audit', 'verify']],
  ['checkpoint', ['audit', 'checkpoint']],
  ['standing', ['audit', 'status']],
  ['anchor in a file', ['audit', 'anchor', '--file', 'anchor.txt']],
  ['anchor in a repository', ['audit', 'anchor', '--git', 'repo']],
  ['backup', ['audit', 'backup', 'copies']],
  ['starters', ['policy', 'init']],
  ['policy', ['policy', 'show']],
  ['replay', ['policy', 'replay', 'developer-laptop']],
  ['allow', ['allow', 'add', 'listed.test']],
  ['seen', ['allow', 'seen']],
  ['approvals', ['approvals', 'list']],
  ['hints', ['hints', 'list']],
  ['tools', ['tools', 'list']],
  ['secrets', ['secrets', 'list']],
  ['accounts', ['account', 'list']],
  ['import', ['import', 'claude', '--yes']],
  ['hooks', ['hooks', 'status']],
  ['restore', ['restore', 'claude']],
  ['completion', ['completion', 'bash']],
  ['version', ['version']],
];

describe.skipIf(missing !== undefined)(
  `a session in which nobody asks for anything outside${missing === undefined ? '' : ` (not here: ${missing})`}`,
  () => {
    it('looks up no name and dials nothing: not at a start, idle, by a verb, by an anchor, or at a stop', async () => {
      const stage = new Stage('');
      const { root } = stage.home;
      const repository = join(root, 'repo');
      mkdirSync(repository);
      for (const args of [
        ['init', '-q'],
        ['remote', 'add', 'origin', 'https://git.test/away.git'],
      ])
        execFileSync('git', ['-C', repository, ...args]);
      const server = {
        far: { type: 'http', url: 'https://far.test/mcp' },
        near: { command: 'npx', args: ['x'] },
      };
      writeFileSync(join(root, '.claude.json'), JSON.stringify({ mcpServers: server }));
      const inside = (args: readonly string[]): string[] =>
        args.map((one) =>
          ['bundle.txt', 'anchor.txt', 'repo', 'copies'].includes(one) ? join(root, one) : one,
        );
      const verb = ([name, args]: (typeof VERBS)[number]): Step => stage.sub(name, inside(args));
      const verbs = VERBS.map((one) => [verb(one)]);
      const groups = [
        [stage.sub('up', ['up'])],
        [stage.sub('run', ['run', '--', process.execPath, '-e', AGENT])],
        ...verbs,
        [{ name: 'idle', argv: ['sleep', '4'] }],
        [stage.sub('restart', ['up', '--restart'])],
        [stage.sub('panic', ['panic'])],
        [stage.sub('down', ['down'])],
      ];
      const { answers, trace } = await stage.watch(groups, { HOME: root });
      for (const [name, { code, stderr }] of Object.entries(answers))
        expect([name, code, stderr]).toEqual([name, 0, expect.anything()]);
      // Its own doors on this machine, which `doctor` tries.
      const outside = trace.dials.filter(({ address }) => address !== '127.0.0.1');
      expect(outside.map(({ program, address, port }) => `${program} ${address}:${port}`)).toEqual([]);
      expect(trace.rings).toEqual([]);
      expect([...trace.programs.values()].filter((program) => program === 'gateway').length).toBeGreaterThan(
        1,
      );
    }, 180_000);
  },
);
