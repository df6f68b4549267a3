import {
  chownSync,
  lchownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Ended, isPlain, Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 120_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const HEAD =
  'policy_id: t\nversion: "1"\nmode: observe\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n';
const ASKS = `${HEAD}world: { fs: { ask: [infra, $PROJECT/conf, $PROJECT/keys/*.key] } }\n`;
const ISOLATES = `${HEAD}world: { commands: { isolated: ["touch *"] } }\n`;

interface Asked {
  readonly committed: readonly string[];
  readonly asks: readonly {
    readonly path: string;
    readonly pattern: string | null;
    readonly reasons: unknown;
  }[];
}

describe.skipIf(why !== undefined)(`the policy of a layer${absent}`, () => {
  describe.each(USERS)('in a world that is started by %s', (_, uid) => {
    let stage: Stage;
    beforeEach(() => {
      stage = new Stage(uid);
      put('infra/main', 'old\n');
      put('etc/conf', 'old\n');
      put('a', 'old\n');
      symlinkSync('etc/conf', join(stage.project, 'conf'));
      if (uid !== undefined) lchownSync(join(stage.project, 'conf'), uid, uid);
    });
    afterEach(() => stage.remove());

    const put = (name: string, text: string): void => {
      const path = join(stage.project, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      if (uid === undefined) return;
      for (let at = path; at !== stage.root; at = dirname(at)) chownSync(at, uid, uid);
    };
    const text = (name: string): string => readFileSync(join(stage.project, name), 'utf8');
    const commit = async (...words: readonly string[]): Promise<Asked & { readonly code: number }> => {
      const { code, stdout, stderr } = await stage.sub('world', 'commit', '--json', ...words);
      if (!stdout.includes('"asks"')) throw new Error(stdout + stderr);
      return { code, ...(JSON.parse(stdout) as Asked) };
    };
    const paths = ({ asks }: Asked): readonly string[] => asks.map(({ path }) => path).toSorted();
    const exec = (...words: readonly string[]): Promise<Ended> => stage.sub('world', 'exec', '--', ...words);
    const layers = async (): Promise<readonly { readonly layer: string; readonly label: string }[]> => {
      const { stdout } = await stage.sub('world', 'status', '--json');
      return (JSON.parse(stdout) as { layers: readonly { layer: string; label: string }[] }).layers;
    };

    it('is not led astray by case, letters, links, moves or permissions', async () => {
      await stage.start({}, ASKS);
      const ways: readonly (readonly [string, readonly string[]])[] = [
        ['mkdir -p x/INFRA; echo 1 > x/INFRA/f', ['x/INFRA', 'x/INFRA/f']],
        ['mkdir ｉｎｆｒａ; echo 1 > ｉｎｆｒａ/f', ['ｉｎｆｒａ', 'ｉｎｆｒａ/f']],
        // Through a link of the project.
        ['echo new > conf', ['etc/conf']],
        ['ln infra/main hard; echo new >> hard', ['infra/main']],
        ['mkdir b; echo 1 > b/x.key; ln -s b keys', ['keys']],
        ['mkdir -p y c; echo 1 > c/f; mv c y/infra', ['y/infra', 'y/infra/f']],
        ['echo new > c; mv c infra/new', ['infra/new']],
        ['chmod 700 infra', ['infra']],
      ];
      const { code } = await stage.inWorld(ways.map(([script]) => script).join('; '));
      const done = await commit();
      expect([code, paths(done), done.code]).toEqual([0, ways.flatMap(([, asked]) => asked).toSorted(), 3]);
      expect([text('infra/main'), text('etc/conf')]).toEqual(['old\n', 'old\n']);
      expect(
        ['keys', 'x/INFRA', 'y/infra', 'infra/new'].filter((name) => existsSync(join(stage.project, name))),
      ).toEqual([]);
    });

    it.each([
      ['moved away', 'mv infra moved'],
      ['removed', 'rm -r infra'],
      ['replaced by a file', 'rm -r infra; echo 1 > infra'],
      ['replaced by a link', 'mkdir b; echo 1 > b/main; rm -r infra; ln -s b infra'],
    ])('keeps a folder that is %s', async (_name, script) => {
      await stage.start({}, ASKS);
      await stage.inWorld(script);
      const done = await commit();
      expect(paths(done)).toEqual(expect.arrayContaining(['infra/main']));
      expect([done.code > 0, text('infra/main')]).toEqual([true, 'old\n']);
    });

    // Marks of removal and links are the kernel's, by rights; when it is asked and what then is said is ours.
    if (!isPlain(uid)) return;

    it('asks about its paths before they are taken over, and leaves them without a yes', async () => {
      await stage.start({}, ASKS);
      await stage.inWorld('for f in infra/main etc/conf a; do echo new > $f; done');
      const diff = await stage.sub('world', 'diff');
      expect(diff.stdout).toContain('~ infra/main  asks: the policy asks about `**/infra`');
      const first = await commit();
      expect(first).toMatchObject({
        code: 3,
        committed: ['a'],
        asks: [
          { path: 'etc/conf', pattern: '$PROJECT/conf', reasons: ['the policy asks about `$PROJECT/conf`'] },
          { path: 'infra/main', pattern: '**/infra', risks: [] },
        ],
      });
      expect(['a', 'etc/conf', 'infra/main'].map(text)).toEqual(['new\n', 'old\n', 'old\n']);
      expect(await commit('--yes')).toMatchObject({ code: 0, asks: [] });
      expect(['etc/conf', 'infra/main'].map(text)).toEqual(['new\n', 'new\n']);
    });

    it('holds for a layer that began before it, and for one that outlives it', async () => {
      await stage.start({}, HEAD);
      await stage.inWorld('echo new > infra/main');
      await stage.decideBy(ASKS);
      expect(await commit()).toMatchObject({ code: 3, committed: [] });
      await stage.sub('world', 'discard', '--yes');
      await stage.inWorld('echo new > infra/main');
      await stage.decideBy(HEAD);
      expect(await commit()).toMatchObject({ code: 3, committed: [] });
      expect(text('infra/main')).toBe('old\n');
    });

    it('gives a command that it isolates a layer of its own, beside that of the folder', async () => {
      await stage.start({}, ISOLATES);
      expect((await exec('/bin/sh', '-c', 'echo 1 > mine')).code).toBe(0);
      const alone = await stage.sub(
        'world',
        'exec',
        '--json',
        '--',
        '/usr/bin/env',
        'X=1',
        '/bin/sh',
        '-c',
        'ls; touch made',
      );
      expect([alone.code, alone.stdout]).toEqual([0, 'a\nconf\netc\ninfra\n']);
      expect(alone.stderr).toContain('sub: in a layer of its own: `touch *`');
      const after = await exec('/bin/ls');
      expect(after.stdout).toBe('a\nconf\netc\ninfra\nmine\n');
      expect(readdirSync(stage.project).toSorted()).toEqual(['a', 'conf', 'etc', 'infra']);
      const [own] = (await layers()).filter(({ label }) => label !== 'world');
      expect(alone.stderr).toContain(
        `+1 in layer ${own?.layer}, not in the project: \`sub world diff --layer`,
      );
      expect((await stage.sub('world', 'commit')).code).not.toBe(0);
      expect(await commit('--layer', own?.layer ?? '')).toMatchObject({ code: 0, committed: ['made'] });
      expect(readdirSync(stage.project).toSorted()).toEqual(['a', 'conf', 'etc', 'infra', 'made']);
      const [said = ''] = /\{"exit".*\}/.exec(alone.stderr) ?? [];
      const { span_id: span } = JSON.parse(said) as { span_id: string };
      expect((await stage.sub('show', span, '--json')).stdout).toContain('isolated');
    });

    it('has no command that it isolates write the project', async () => {
      await stage.start({}, ISOLATES);
      const through = (...words: readonly string[]): Promise<Ended> =>
        stage.sub('world', 'exec', '--write-through', ...words, '--', '/bin/sh', '-c', 'touch made');
      for (const words of [[], ['--fresh']]) {
        const { code, stderr } = await through(...words);
        expect([code, stderr]).toEqual([126, expect.stringContaining('leave `--write-through` out')]);
      }
      expect(existsSync(join(stage.project, 'made'))).toBe(false);
    });
  });
});
