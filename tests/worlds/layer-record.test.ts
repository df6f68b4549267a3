import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@subluminal/core-types';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PLAIN_USER, Stage, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;

// The gateway writes the record, whoever its user is: a plain one is enough.
describe.skipIf(why !== undefined)(`a decision on a layer, in the ledger${absent}`, () => {
  describe.each(PLAIN_USER)('of %s', (_, uid) => {
    let stage: Stage;
    const begin = async (settings = ''): Promise<void> => {
      stage = new Stage(uid, { settings });
      writeFileSync(join(stage.project, 'a'), 'a\n');
      stage.give('a');
      await stage.start({});
    };
    afterEach(() => stage.remove());
    const layerOf = (): string =>
      readdirSync(join(stage.home, 'layers')).find((name) => name !== 'lock') ?? '';
    /** Entries of decisions, as `KIND ACTION CODE > what they refer to`, with what they say of the layer. */
    const decisions = (): readonly [string, JsonObject][] => {
      const rows = stage.rows().toSorted((one, other) => one.seq - other.seq);
      const found = rows.filter(({ tool }) => typeof tool === 'string' && tool.startsWith('layer.'));
      const place = (seq: number | null): string =>
        seq === null ? '' : ` > ${found.findIndex((row) => row.seq === seq)}`;
      return found.map(({ type, tool, code, ref, data }) => [
        `${type} ${String(tool)} ${String(code)}${place(ref)}`,
        (data['layer'] ?? {}) as JsonObject,
      ]);
    };

    it('is there before a file is written, and with what it left at its end', async () => {
      await begin();
      await stage.inWorld('echo x >> a; printf 1 > "$(printf \'n\\377\')"; echo all: > Makefile');
      const id = layerOf();
      const { code, stderr } = await stage.sub('world', 'commit');
      expect([code, stderr]).toEqual([
        3,
        expect.stringMatching(/\+1 ~1 taken over into .*, recorded as entry \d+/),
      ]);
      expect(decisions()).toEqual([
        [
          'action_pending layer.commit pending',
          {
            layer_id: id,
            folder: stage.project,
            run_id: expect.any(String),
            plan_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
            fs_diff: { added: 1, modified: 1, deleted: 0, paths: ['~ a', '+ n\\xff'] },
            risky: [],
            risky_count: 0,
            left: [{ why: 'asks', count: 1 }],
          },
        ],
        ['action_result layer.commit success > 0', { done: 2, left: [{ why: 'asks', count: 1 }], exit: 3 }],
      ]);
      await stage.sub('world', 'discard', '--yes');
      expect(decisions().slice(2)).toEqual([
        [
          'action_pending layer.discard pending',
          expect.objectContaining({ fs_diff: { added: 1, modified: 0, deleted: 0, paths: ['+ Makefile'] } }),
        ],
        ['action_result layer.discard success > 2', { done: 1, left: [], exit: 0 }],
      ]);
      const [seq = ''] = /(?<=recorded as entry )\d+/.exec(stderr) ?? [];
      const shown = await stage.sub('show', seq);
      expect(shown.stdout).toMatch(
        /layer\.commit .*\n(.*\n)*left +1: a person is asked about it, and nobody said yes/,
      );
      expect(shown.stdout).toMatch(/\nby +operator\n/);
      const [, newest = ''] = (await stage.sub('query', '--action', 'layer.*')).stdout.split('\n');
      expect(newest).toMatch(/layer\.discard .*\+1 by operator$/);
      const found = async (...flags: readonly string[]): Promise<readonly (string | null)[]> =>
        (await stage.sub('query', '--json', ...flags)).stdout
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => {
            const said = JSON.parse(line) as { action?: string; tool_name?: string };
            return said.action ?? said.tool_name ?? null;
          });
      expect(await found('--path', join(stage.project, 'a'))).toContain('layer.commit');
      expect(await found('--path', '**/Makefile')).toContain('layer.discard');
      expect(await found('--path', 'b', '--action', 'layer.commit')).toEqual([]);
      expect(await found('--action', 'world.exec')).toEqual(['exec']);
      // Nothing outside remembers the newest entries yet.
      expect((await stage.sub('audit', 'verify')).code).toBe(6);
    });

    it('is in a report as what it is: in a layer, or taken over', async () => {
      await begin();
      await stage.inWorld('echo 1 > n; rm a; cat d/b 2> /dev/null; echo 2 > m');
      const before = (await stage.sub('report')).stdout;
      expect(before).toMatch(/calls +1 call: 1 ran/);
      expect(before).toMatch(/\nFiles in a layer, not in the project\n +FILE\n- +a\n\+ +m\n\+ +n\n/);
      expect(before).not.toContain('Files written');
      expect((await stage.sub('world', 'commit', 'n')).code).toBe(0);
      const after = (await stage.sub('report')).stdout;
      expect(after).toMatch(/\nFiles taken over from a layer\n +FILE\n\+ +n\n/);
      const { layered } = JSON.parse((await stage.sub('report', '--json')).stdout) as { layered: unknown };
      expect(layered).toEqual({
        more: 0,
        rows: [
          { folder: stage.project, path: 'a', sign: '-', taken: false },
          { folder: stage.project, path: 'm', sign: '+', taken: false },
          { folder: stage.project, path: 'n', sign: '+', taken: true },
        ],
      });
    });

    it('is needed: without a gateway nothing is written, and nothing thrown away', async () => {
      await begin();
      await stage.inWorld('echo x >> a');
      await stage.killGateway();
      const config = join(stage.home, 'config.toml');
      const text = existsSync(config) ? readFileSync(config, 'utf8') : '';
      writeFileSync(config, `autostart = false\n${text.replace(/^autostart.*$/m, '')}`);
      for (const verb of ['commit', 'discard']) {
        const { code, stderr } = await stage.sub('world', verb, '--yes');
        expect([code, stderr]).toEqual([5, expect.stringContaining('has no gateway behind it')]);
      }
      expect(readFileSync(join(stage.project, 'a'), 'utf8')).toBe('a\n');
      expect(existsSync(join(stage.home, 'layers', layerOf(), 'upper', 'a'))).toBe(true);
    });

    it('tells of a commit that was killed, and of the verb that ends it', async () => {
      await begin();
      await stage.inWorld('mkdir d; for i in $(seq 3000); do echo $i > d/$i; done');
      const place = join(stage.home, 'layers', layerOf());
      const killed = stage.sub('world', 'commit');
      await vi.waitUntil(() => existsSync(join(place, 'journal')), { timeout: 60_000, interval: 1 });
      const { holder } = JSON.parse(readFileSync(join(place, 'recorded'), 'utf8')) as {
        holder: { pid: number };
      };
      process.kill(holder.pid, 'SIGKILL');
      await killed;
      const { stderr } = await stage.sub('world', 'diff', '--stat');
      expect(stderr).toMatch(
        /a commit or discard \(entry \d+\) was cut off, and is brought to an end: entry \d+/,
      );
      expect(decisions().map(([line]) => line)).toEqual([
        'action_pending layer.commit pending',
        'action_pending layer.recover pending',
        'action_result layer.recover success > 1',
        'action_result layer.commit error > 0',
      ]);
      expect(await stage.sub('world', 'commit')).toMatchObject({ code: 0 });
      expect(readdirSync(join(stage.project, 'd'))).toHaveLength(3000);
    });

    it('leaves no room for a new layer if those that are there take more than `disk.layers_mb`', async () => {
      await begin('[disk]\nlayers_mb = 1');
      const first = await stage.inWorld('head -c 3000000 /dev/urandom > big');
      expect(first.code).toBe(0);
      const second = await stage.inWorld('true');
      expect([second.code, second.stderr]).toEqual([
        125,
        expect.stringMatching(/layers take 2\.9 MB of 1\.0 MB: no new one begins/),
      ]);
      expect((await stage.sub('world', 'status')).stderr).toContain('layers take 2.9 MB of 1.0 MB');
      expect((await stage.sub('status')).stdout).toMatch(
        /in no project, 2\.9 MB of 1\.0 MB: `sub world status`/,
      );
      expect(existsSync(join(stage.home, 'layers', layerOf(), 'upper', 'big'))).toBe(true);
      expect((await stage.sub('restore', 'all', '--dry-run')).stderr).toContain(
        '1 layer of worlds holds changes',
      );
    });
  });
});
