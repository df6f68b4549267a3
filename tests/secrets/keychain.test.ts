import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/processes.js';
import { said, SecretPlace, SERVER } from './place.js';

const BUS = `/run/user/${userInfo().uid}/bus`;
const TOOLS = ['/usr/bin/secret-tool', '/usr/bin/dbus-daemon', '/usr/bin/gnome-keyring-daemon'];
const VALUE = 'of-the-keychain-ü-4711';

/** Only where a keychain of our own can be put up: never the one of whoever runs this. */
const canHave =
  process.platform === 'linux' &&
  TOOLS.every((tool) => existsSync(tool)) &&
  !existsSync(BUS) &&
  (userInfo().uid === 0 || existsSync(dirname(BUS)));

describe.runIf(!existsSync(BUS))('a system without a keychain', () => {
  const bare = new SecretPlace();
  afterAll(() => bare.home.remove());

  it('says so, and what to use', async () => {
    bare.bind({ inject_as: 'KEEPER_TOKEN', secret_ref: 'kept', source: 'keychain' });
    const { stderr, code } = await bare.attempt({});
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('error[not_available]: the keychain cannot be asked'),
    ]);
    expect(stderr).toContain('source = "store"');
  });
});

describe.runIf(canHave)('the keychain of a desktop', () => {
  let place: SecretPlace;
  let root: string;
  const children: ChildProcess[] = [];
  const madeFolder = !existsSync(dirname(BUS));

  beforeAll(async () => {
    place = new SecretPlace();
    root = mkdtempSync(join(tmpdir(), 'sub-keychain-'));
    mkdirSync(dirname(BUS), { recursive: true, mode: 0o700 });
    const env = {
      PATH: '/usr/bin:/bin',
      HOME: root,
      XDG_RUNTIME_DIR: root,
      DBUS_SESSION_BUS_ADDRESS: `unix:path=${BUS}`,
    };
    // Without the system's services: it would start a second, locked keychain at the first question.
    const bus = join(root, 'bus.conf');
    writeFileSync(
      bus,
      `<busconfig><type>session</type><listen>unix:path=${BUS}</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>`,
    );
    children.push(
      spawn('/usr/bin/dbus-daemon', ['--nofork', `--config-file=${bus}`], { env, stdio: 'ignore' }),
    );
    await eventually('the bus is there', () => existsSync(BUS));
    const keyring = spawn(
      '/usr/bin/gnome-keyring-daemon',
      ['--foreground', '--unlock', '--components=secrets'],
      {
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
      },
    );
    children.push(keyring);
    keyring.stdin.end('a password\n');
    const asks = ['store', '--label', 'a test', 'service', 'a-test'];
    const options = { env, input: 'any value', timeout: 5000 };
    await eventually(
      'the keychain takes something',
      () => spawnSync(TOOLS[0] ?? '', asks, options).status === 0,
    );
    await place.sub(['up']);
  }, 180_000);

  afterAll(async () => {
    await place.home.remove();
    for (const child of children.toReversed()) child.kill('SIGKILL');
    rmSync(root, { recursive: true, force: true });
    rmSync(BUS, { force: true });
    if (madeFolder) rmSync(dirname(BUS), { recursive: true, force: true });
  });

  it('keeps a secret, which a bound server gets, and of which the record has the name', async () => {
    const add = (...more: string[]) =>
      place.sub(['secrets', 'add', 'kept', '--keychain', ...more], { input: `${VALUE}\n` });
    expect((await add()).stdout).toContain('`kept` is in the keychain');
    expect((await add()).stderr).toContain('error[usage]: there is a secret `kept` in the keychain already');
    expect((await add('--replace')).code).toBe(0);
    const bind = [
      'secrets',
      'bind',
      'keeper',
      '--as',
      'KEEPER_TOKEN',
      '--ref',
      'kept',
      '--source',
      'keychain',
    ];
    expect((await place.sub([...bind, '--no-redact', '--', ...SERVER])).code).toBe(0);
    place.bind({ server_name: 'other', inject_as: 'A_TOKEN', secret_ref: 'nothing', source: 'keychain' });
    place.bind({ server_name: 'removed', inject_as: 'A_TOKEN', secret_ref: 'gone', source: 'keychain' });
    await place.sub(['secrets', 'add', 'gone', '--keychain'], { input: VALUE });
    expect((await place.sub(['secrets', 'remove', 'gone', '--keychain'])).stdout).toBe('removed `gone`\n');
    // From here on this process is part of a run.
    const session = await place.open({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' });
    expect(await said(session, '${KEEPER_TOKEN}')).toMatchObject({ content: [{ text: VALUE }] });
    await session.close();
    for (const server of ['other', 'removed']) {
      const { stderr, code } = await place.attempt({}, { server });
      expect([code, stderr]).toEqual([1, expect.stringContaining('error[secret_missing]')]);
    }
    expect(place.recorded('secret_injection')).toMatchObject([
      { secret: { source: 'keychain', secret_ref: 'kept', success: true } },
      { secret: { source: 'keychain', secret_ref: 'nothing', success: false } },
      { secret: { source: 'keychain', secret_ref: 'gone', success: false } },
    ]);
    for (const [path, bytes] of place.written()) expect([path, bytes.includes(VALUE)]).toEqual([path, false]);
    const lines = readdirSync('/proc')
      .filter((entry) => existsSync(`/proc/${entry}/cmdline`))
      .map((entry) => readFileSync(`/proc/${entry}/cmdline`, 'utf8'));
    expect(lines.join('\n')).not.toContain(VALUE);
  });
});
