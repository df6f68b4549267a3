import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmodSync, chownSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { deniesNamespaces, type Machine, Stage, USERS, whyNoWorlds } from './kit/stage.js';

vi.setConfig({ hookTimeout: 240_000, testTimeout: 240_000 });

const EPERM = 1;
const ENOSPC = 28;
const LANDLOCK = 444;
const why = whyNoWorlds() ?? deniesNamespaces(EPERM);
const absent = why === undefined ? '' : ` (not here: ${why})`;
const least = (network: string): string => `[world]\nrequire = "${network}"\n`;

describe.skipIf(why !== undefined)(`the ladder of worlds${absent}`, () => {
  describe.each(USERS)('of %s', (_, uid) => {
    let server: Server;
    let port: number;
    let stage: Stage | undefined;
    beforeEach(async () => {
      server = createServer((_request, response) => response.end('the allowed server'));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      ({ port } = server.address() as AddressInfo);
    });
    afterEach(async () => {
      await stage?.remove();
      server.close();
    });
    const on = async (machine: Machine): Promise<Stage> => {
      stage = new Stage(uid, machine);
      chmodSync(stage.root, 0o755);
      chownSync(stage.project, uid ?? 1000, uid ?? 1000);
      await stage.start({ 'allowed.test': [{ port }] });
      return stage;
    };
    const get = (): string => `curl -sm9 http://allowed.test:${port}/`;
    const networks = (one: Stage): readonly unknown[] =>
      one
        .rows()
        .filter(({ type }) => type === 'world_begin')
        .map(({ data }) => (data as { network?: string }).network);

    it('takes nothing weaker unless the operator says so, and says what is denied', async () => {
      const { code, stdout, stderr } = await (await on({ deniesNamespaces: EPERM })).inWorld('echo RAN');
      expect([code, stdout]).toEqual([125, '']);
      expect(stderr).toContain('error[not_available]: this machine gives no world a network of its own');
      expect(stderr).toContain(
        'unshare: Operation not permitted (a filter of system calls, or a security module',
      );
      expect(networks(await live())).toEqual([]);
    });

    it('says if it is a setting of the kernel that lets no more be made', async () => {
      const { stderr } = await (await on({ deniesNamespaces: ENOSPC })).inWorld('echo RAN');
      expect(stderr).toContain('unshare: No space left on device (`sysctl user.max_user_namespaces`');
    });

    it('takes a full world if it can be made, whatever would do', async () => {
      const { stdout, stderr } = await (await on({ settings: least('any') })).inWorld(get());
      expect([stdout, stderr.includes('has the network')]).toEqual(['the allowed server', false]);
      expect(networks(await live())).toEqual(['full']);
    });

    it('goes down where the program is started, if namespaces are denied there alone', async () => {
      const machine = { deniesNamespaces: EPERM, isDeniedTo: 'starter', settings: least('named') } as const;
      const { stdout, stderr } = await (await on(machine)).inWorld(get());
      expect([stdout, stderr]).toEqual([
        'the allowed server',
        expect.stringContaining('the network `named`'),
      ]);
      expect(networks(await live())).toEqual(['full', 'named']);
      const begins = (await live()).rows().filter(({ type }) => type === 'world_begin');
      expect(begins[1]?.data).toMatchObject({
        shortfall: expect.stringContaining('Operation not permitted'),
      });
      expect((await live()).rows().filter(({ type }) => type === 'world_end')).toHaveLength(2);
    });

    it('goes to the proxy alone if nothing confines files, and the operator takes that', async () => {
      const machine = { deniesNamespaces: EPERM, denies: [LANDLOCK], settings: least('any') };
      const { stdout, stderr } = await (await on(machine)).inWorld(get());
      expect([stdout, stderr]).toEqual(['the allowed server', expect.stringContaining('the network `any`')]);
      expect(networks(await live())).toEqual(['named', 'any']);
      const begins = (await live()).rows().filter(({ type }) => type === 'world_begin');
      expect(begins[1]?.data).toMatchObject({
        shortfall: expect.stringContaining('Landlock confines no files here'),
      });
    });

    it('starts nothing if nothing confines files, and the operator does not take that', async () => {
      const machine = { deniesNamespaces: EPERM, denies: [LANDLOCK], settings: least('named') };
      const { code, stdout, stderr } = await (await on(machine)).inWorld('echo RAN');
      expect([code, stdout, stderr]).toEqual([
        125,
        '',
        expect.stringContaining('Landlock confines no files here'),
      ]);
    });

    it('hands a signal on, and ends with it, without a world as well', async () => {
      const machine = { deniesNamespaces: EPERM, denies: [LANDLOCK], settings: least('any') };
      const script = 'trap "echo HEARD; exit 3" TERM; echo up; sleep 20 > /dev/null 2>&1 & wait';
      const { code, stdout } = await (await on(machine)).signalled('SIGTERM', script);
      expect([code, stdout]).toEqual([3, 'up\nHEARD\n']);
    });

    it.each([
      ['named', []],
      ['any', [LANDLOCK]],
    ])('leaves Ctrl-C to a program that heeds it, with the network `%s`', async (network, denies) => {
      const here = await on({ deniesNamespaces: EPERM, denies, settings: least(network) });
      const script = 'trap "echo HEARD; exit 3" INT; echo ready; sleep 5; echo LATER';
      const { code, shown } = await here.typed('\u0003', script);
      expect(shown).toMatch(/ready\r\n(?:\^C)?HEARD\r\nsub: run /);
      expect(code).toBe(3);
    });

    it('is told by the doctor, by the status, and by what went wrong', async () => {
      const here = await on({ deniesNamespaces: EPERM, settings: least('named') });
      const doctor = JSON.parse((await here.sub('world', 'doctor', '--json')).stdout) as {
        ok: boolean;
        checks: { name: string; level: string; message: string }[];
      };
      const of = (name: string) => doctor.checks.find((check) => check.name === name);
      expect(of('backend')?.message).toMatch(/^`linux-local`, by the platform/);
      expect(of('least')?.message).toMatch(/^`named`: /);
      expect(of('named')).toMatchObject({ level: 'ok' });
      if (uid !== undefined || process.getuid?.() !== 0)
        expect(of('world')).toMatchObject({
          level: 'ok',
          message: expect.stringContaining('network `named`'),
        });
      const status = (await here.sub('status')).stdout;
      expect(status).toContain('may be as weak as `named`');
      const checks = (await here.sub('doctor')).stdout;
      expect(checks.replaceAll(/\s+/g, ' ')).toContain('`[world] require` is `named`');
    });

    it('refuses a server’s world that would be weaker than it must be, too', async () => {
      const here = await on({ deniesNamespaces: EPERM });
      const doctor = await here.sub('world', 'doctor', '--json');
      const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; level: string }[] };
      expect(doctor.code).not.toBe(0);
      expect(checks.find(({ name }) => name === 'named')).toMatchObject({ level: 'ok' });
      expect(checks.find(({ name }) => name === 'world')).toMatchObject({ level: 'fail' });
    });

    const live = (): Promise<Stage> =>
      stage === undefined ? Promise.reject(new Error('there is no stage')) : Promise.resolve(stage);
  });
});
