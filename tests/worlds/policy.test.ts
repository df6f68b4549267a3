import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { textAt } from '@subluminal/core-types';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { eventually } from '../harness/processes.js';
import { Stage, SUB, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const why = whyNoWorlds();
const absent = why === undefined ? '' : ` (not here: ${why})`;
const KIT = fileURLToPath(new URL('kit', import.meta.url));
const ROGUE = join(KIT, 'rogue-server.mjs');
const PATH = '/usr/bin:/bin';
const HEAD =
  'policy_id: t\nversion: "1"\nmode: observe\ndefaults: { decision_on_error: BLOCK }\nselectors: {}\nrules: []\n';

describe.skipIf(why !== undefined)(`a policy${absent}`, () => {
  describe.each(USERS)('for worlds that are started by %s', (_, uid) => {
    let stage: Stage;
    let web: Server;
    let port: number;
    const children = new Set<ChildProcess>();

    beforeAll(async () => {
      // It answers with as many bytes as the path says, and never ends under `/slow`.
      web = createServer((request, response) => {
        const size = Number(request.url?.slice(1) || 'none');
        if (request.url === '/slow') response.write('begun\n');
        else response.end(Number.isNaN(size) ? 'the server' : 'x'.repeat(size));
      });
      await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
      ({ port } = web.address() as AddressInfo);
      stage = new Stage(uid);
      await stage.start({ 'one.test': [{ port }], 'two.test': [{ port }] });
      put(join(stage.project, '.env'), 'canary-env-file');
      put(join(stage.project, 'keys/deep/key.pem'), 'canary-key');
      put(join(stage.project, 'real/secret'), 'canary-linked');
      put(join(stage.root, 'cache/kept'), 'kept');
      put(join(stage.root, 'shown/text'), 'shown');
      symlinkSync('real/secret', join(stage.project, 'link'));
    });
    afterAll(async () => {
      for (const child of children) child.kill('SIGKILL');
      await stage.remove();
      web.closeAllConnections();
      web.close();
    });

    const put = (path: string, text: string): void => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      if (uid === undefined) return;
      for (let at = path; at !== stage.root && at.length > 1; at = dirname(at)) chownSync(at, uid, uid);
    };
    const policy = async (world: string): Promise<void> => {
      put(join(stage.home, 'policy.yaml'), `${HEAD}${world}`);
      const { code, stderr } = await stage.sub('policy', 'reload');
      expect([code, stderr]).toEqual([0, '']);
    };
    const get = (host: string, path = '/'): string => `curl -sm5 http://${host}:${port}${path}; echo "rc $?"`;
    const refusals = (code: string): readonly string[] =>
      stage
        .rows()
        .filter(({ type, data }) => type === 'action_rejected' && textAt(data, 'error', 'code') === code)
        .map(({ data }) => `${textAt(data, 'facts', 'host')} ${textAt(data, 'facts', 'profile')}`);

    it('hides files and folders of the project, also where a link leads to them', async () => {
      await policy('world: { fs: { hide: [.env, keys, link, absent] } }\n');
      const { stdout } = await stage.inWorld(
        'cat .env real/secret link; ls -A keys; cat keys/deep/key.pem; ls -lA --time-style=+ | cut -c1-10,11-; ls real',
      );
      expect(stdout).not.toContain('canary');
      expect(stdout).toMatch(/^-{10} .* \.env$/m);
      expect(stdout).toMatch(/^d-{9} .* keys$/m);
      expect(stdout).toContain('secret');
      expect(stdout).not.toContain('absent');
    });

    it('hides them from a program that takes them for its own', async () => {
      await policy('world: { fs: { hide: [.env, keys] } }\n');
      const { stdout } = await stage.inWorld(
        [
          'chmod 600 .env; rm -f .env; mv .env other; umount .env; umount keys; ln .env copy; chmod 700 keys',
          'echo new > other2 && mv -f other2 .env',
          'mkdir moved && mv keys moved; cat .env other copy moved/keys/deep/key.pem',
          'cat /proc/self/mountinfo | grep -c hidden; echo over',
        ].join('\n'),
      );
      expect(stdout).not.toContain('canary');
      expect(stdout).toContain('over');
      expect((await stage.inWorld('cat real/secret')).stdout).toBe('canary-linked');
    });

    it('does not begin a world where the hidden path leads to the whole project, or a flag names it', async () => {
      await policy('world: { fs: { hide: [loop, keys] } }\n');
      symlinkSync('.', join(stage.project, 'loop'));
      const whole = await stage.inWorld('echo RAN');
      renameSync(join(stage.project, 'loop'), join(stage.root, 'loop'));
      expect(whole.stdout).toBe('');
      expect(whole.stderr).toContain('leads to');
      const named = await stage.inWorld('echo RAN', '--read', join(stage.project, 'keys/deep'));
      expect(named.stdout).toBe('');
      expect(named.stderr).toContain('the policy hides it from worlds');
    });

    it('shows more paths than the project, and leaves out those that are not there', async () => {
      await policy(
        `world: { fs: { read: [${stage.root}/shown, ${stage.root}/nowhere], write: [${stage.root}/cache] } }\n`,
      );
      const script = `cat ${stage.root}/shown/text; echo more > ${stage.root}/cache/more; echo x > ${stage.root}/shown/x; ls ${stage.root}/cache ${stage.root}`;
      const { stdout } = await stage.inWorld(script);
      expect(stdout).toContain('shown');
      expect(stdout).toMatch(/kept\nmore\n/);
      expect(stdout).not.toContain('nowhere');
      expect((await stage.inWorld(`ls ${stage.root}/shown`)).stdout).toBe('text\n');
    });

    it('never shows the gateway’s home', async () => {
      await policy(`world: { fs: { read: [${stage.home}] } }\n`);
      const { stdout, stderr } = await stage.inWorld('echo RAN');
      expect(stdout).toBe('');
      expect(stderr).toContain('would show the gateway’s home');
    });

    it('narrows the allowlist for the worlds of a profile, and says which one', async () => {
      await policy(
        `world: { profiles: [{ name: shop, folder: ["${stage.root}/**"], net: { allowed: [one.test] } }] }\n`,
      );
      const { stdout } = await stage.inWorld(`${get('one.test')}; ${get('two.test')}; ${get('192.0.2.9')}`);
      expect(stdout).toMatch(
        /^the serverrc 0\nrc 6\n.*`192\.0\.2\.9` is not among the hosts that the world profile `shop`/,
      );
      expect(refusals('world_refused')).toEqual(expect.arrayContaining(['two.test shop', '192.0.2.9 shop']));
      const begun = stage.rows().findLast(({ type }) => type === 'world_begin');
      expect(textAt(begun?.data ?? null, 'profile')).toBe('shop');
      const { stdout: told } = await stage.sub('why');
      expect(told).toContain('world profile `shop`');
      expect(told).not.toContain('sub allow add');
    });

    it('never widens it', async () => {
      await policy('world: { net: { allowed: [one.test, evil.test] } }\n');
      const { stdout } = await stage.inWorld(`getent hosts evil.test; echo "rc $?"`);
      expect(stdout).toBe('rc 2\n');
    });

    it('gives all connections of a world one budget of bytes', async () => {
      await policy('world: { egress_budget: { total_bytes: 40000 } }\n');
      const { stdout } = await stage.inWorld(
        `for i in 1 2 3; do curl -sm5 http://one.test:${port}/15000 | wc -c; done; ${get('one.test')}`,
      );
      const [first, second, third] = stdout.split('\n').map(Number);
      expect([first, second]).toEqual([15_000, 15_000]);
      expect(third).toBeLessThan(15_000);
      const ends = stage.rows().filter(({ data }) => textAt(data, 'outcome') === 'budget');
      expect(textAt(ends.at(-1)?.data ?? null, 'error', 'message')).toContain('egress_budget');
      expect((await stage.inWorld(get('one.test'))).stdout).toBe('the serverrc 0\n');
    });

    it('has them go as fast as it says', async () => {
      await policy('world: { egress_budget: { bytes_per_sec: 200000 } }\n');
      const { stdout } = await stage.inWorld(
        `curl -so /dev/null -w "%{time_total}" http://one.test:${port}/800000`,
      );
      expect(Number(stdout)).toBeGreaterThan(1.5);
    });

    it('bounds what the programs of a world use together', async () => {
      const script = 'for i in $(seq 40); do sleep 3 & done; wait; echo over';
      await policy('world: { limits: { processes: 20 } }\n');
      expect((await stage.inWorld(script)).stderr).toMatch(/fork/i);
      await policy('world: { limits: { processes: 200 } }\n');
      const roomy = await stage.inWorld(script);
      expect([roomy.code, roomy.stdout]).toEqual([0, 'over\n']);
      expect(roomy.stderr).not.toMatch(/fork/i);
    });

    it('gives each command a world of its own where it says so', async () => {
      const worlds = async (): Promise<readonly string[]> => {
        const ended = await Promise.all(
          ['1', '2'].map((name) =>
            stage.sub('world', 'exec', '--json', '--', '/bin/sh', '-c', `sleep 1; echo ${name}`),
          ),
        );
        expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual([
          [0, '1\n'],
          [0, '2\n'],
        ]);
        // Behind what is said of its own run, if the world of the folder was taken.
        return ended.map(({ stderr }) => String(JSON.parse(stderr.trim().split('\n').at(-1) ?? '').world_id));
      };
      await policy('world: { reuse: false }\n');
      const [first, second] = await worlds();
      const [third] = await worlds();
      expect(new Set([first, second, third]).size).toBe(3);
      await policy('');
      await eventually('the end of those worlds', async () =>
        (await stage.sub('world', 'status')).stdout.includes('no world'),
      );
      await stage.sub('world', 'warm');
      const [one, other] = await worlds();
      expect(one).toBe(other);
      await stage.sub('world', 'close', '--all');
    });

    it('has worlds of a server keep to what they reached, once that was observed', async () => {
      await policy('');
      // In a process of its own: its run would be that of the tests, in which no verb widens anything.
      const use = async (...hosts: readonly string[]): Promise<readonly string[]> => {
        const shim = [process.execPath, SUB, 'shim', 'stdio', '--home', stage.home, '--server', 'rogue'];
        const words = [...shim, '--world', '--read', KIT, '--', process.execPath, ROGUE];
        const [command, ...args] = stage.asUser(
          process.execPath,
          join(KIT, 'use-server.mjs'),
          JSON.stringify(words),
          ...hosts.map((host) => `http://${host}:${port}/`),
        );
        const options = { cwd: stage.project, encoding: 'utf8', env: { PATH } } as const;
        const { stdout } = await promisify(execFile)(command, args, options);
        return JSON.parse(stdout) as string[];
      };
      expect(await use('one.test', 'evil.test')).toEqual([
        'the server',
        expect.stringContaining('ENOTFOUND'),
      ]);
      const none = await stage.sub('world', 'profile', 'nobody');
      expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('is in the record')]);
      const shown = await stage.sub('world', 'profile', 'rogue');
      expect([shown.code, shown.stdout]).toEqual([1, expect.stringContaining('+      server: [ rogue ]')]);
      expect(shown.stdout).toContain('refused, and not written: evil.test');
      const { code, stdout } = await stage.sub('world', 'profile', 'rogue', '--yes', '--json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        written: true,
        server: 'rogue',
        profile: 'rogue',
        worlds: 1,
        allowed: ['one.test'],
        added: ['one.test'],
        refused: ['evil.test'],
        whole: true,
      });
      await stage.sub('policy', 'reload');
      expect(await use('one.test', 'two.test')).toEqual(['the server', expect.stringContaining('ENOTFOUND')]);
      const explained = await stage.sub('policy', 'explain', '--world', '--server', 'rogue', '--json');
      expect(JSON.parse(explained.stdout)).toMatchObject({
        server: 'rogue',
        folder: stage.project,
        profile: 'rogue',
        net: [{ by: 'home', profile: 'rogue', allowed: ['one.test'] }],
      });
      expect((await stage.sub('policy', 'explain', '--world')).stdout).toContain('none: the settings of all');
      const { stdout: key } = await stage.sub('policy', 'keygen', join(stage.root, 'a.key'));
      // The edit that is not written is shown where a policy has to be signed.
      put(
        join(stage.home, 'config.toml'),
        `[egress]\nmode = "enforce"\n[policy]\naccept = "signed"\nsigners = ["${key.trim()}"]\n`,
      );
      put(join(stage.home, 'policy.yaml'), HEAD);
      const signed = await stage.sub('world', 'profile', 'rogue', '--yes');
      expect([signed.code, signed.stdout]).toEqual([3, expect.stringContaining('signed policies alone')]);
      expect(readFileSync(join(stage.home, 'policy.yaml'), 'utf8')).toBe(HEAD);
      put(join(stage.home, 'config.toml'), '[egress]\nmode = "enforce"\n');
    });

    it('reaches the next connection at once, and cuts the open ones that it does not let any more', async () => {
      await policy('');
      const words = [process.execPath, SUB, 'world', 'exec', '--fresh', '--home', stage.home];
      const [command, ...args] = stage.asUser(
        ...words,
        '--',
        '/bin/sh',
        '-c',
        `curl -sNm60 http://one.test:${port}/slow; echo "cut $?"; while :; do read line; curl -sm5 http://$line:${port}/; echo "rc $?"; done`,
      );
      const child = spawn(command, args, { cwd: stage.project, stdio: ['pipe', 'pipe', 'pipe'] });
      children.add(child);
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await eventually('the first bytes', () => said.includes('begun'));
      await policy('world: { net: { allowed: [two.test] } }\n');
      await eventually('the cut', () => /cut (?!0)/.test(said));
      const before = said.length;
      child.stdin.write('one.test\n');
      await eventually('the refusal', () => said.slice(before).includes('rc 6\n'));
      child.stdin.write('two.test\n');
      await eventually('the other host', () => said.slice(before).includes('the serverrc 0\n'));
      await policy('');
      child.stdin.write('one.test\n');
      await eventually('the first host again', () => said.endsWith('the serverrc 0\nthe serverrc 0\n'));
      expect(said.match(/the serverrc 0/g)).toHaveLength(2);
      child.kill('SIGKILL');
    });
  });
});
