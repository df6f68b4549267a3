import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createHome, stopGateway, type TestHome } from '../harness/home.js';
import { processesWith } from '../harness/processes.js';
import { runSub } from '../harness/resident.js';
import { SUB } from '../harness/sub.js';

const VERIFIER = fileURLToPath(new URL('../../verifier/verify.mjs', import.meta.url));

interface RunningWitness {
  readonly child: ChildProcess;
  readonly url: string;
  readonly vkey: string;
}

let home: TestHome;
let log: string;
let state: string;
let witness: RunningWitness;

async function startWitness(folder: string): Promise<RunningWitness> {
  const argv = [
    SUB,
    'witness',
    '--home',
    home.home,
    '--state',
    folder,
    '--name',
    'witness.example/w1',
    '--log',
    log,
  ];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { child, ...(JSON.parse(line) as { url: string; vkey: string }) };
}

async function stopWitness({ child }: RunningWitness): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill('SIGTERM');
  return ((await once(child, 'exit')) as [number | null])[0];
}

const audit = (verb: string, ...args: string[]) => runSub(['audit', verb, '--home', home.home, ...args]);
const anchor = (...args: string[]) =>
  audit('anchor', '--witness', witness.url, '--witness-key', witness.vkey, '--json', ...args);

async function run(at = home.home): Promise<void> {
  const argv = ['run', '--home', at, '--', process.execPath, '-e', ''];
  expect(await runSub(argv)).toMatchObject({ code: 0 });
}

beforeAll(async () => {
  home = createHome();
  await run();
  log = (JSON.parse((await audit('checkpoint', '--json')).stdout) as { vkey: string }).vkey;
  state = join(home.root, 'witness');
  witness = await startWitness(state);
});
afterAll(async () => {
  await stopWitness(witness);
  await home.remove();
});

describe('sub witness', () => {
  it('cosigns the head of a ledger, which then verifies offline with the witness named', async () => {
    const file = join(home.root, 'cosigned');
    const { code, stdout } = await anchor('--out', file);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'witness',
      target: witness.url,
      witness: 'witness.example/w1',
    });
    const argv = [VERIFIER, 'checkpoint', file, '--log', log, '--witness', witness.vkey, '--json'];
    const offline = spawnSync(process.execPath, argv, { encoding: 'utf8' });
    expect(offline.status).toBe(0);
    expect(JSON.parse(offline.stdout)).toMatchObject({ cosigned: [{ name: 'witness.example/w1' }] });
    const verified = await audit('verify', '--checkpoint', file, '--json');
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({
      anchors: { known: 1, checked: 1, newest: { kind: 'witness' } },
    });
  });

  it('goes on as the ledger grows, also after both were started anew', async () => {
    await run();
    expect(await anchor()).toMatchObject({ code: 0 });
    expect(await stopWitness(witness)).toBe(0);
    witness = await startWitness(state);
    expect((await runSub(['down', '--home', home.home])).code).toBe(0);
    await run();
    expect(await anchor()).toMatchObject({ code: 0 });
    expect(await audit('verify')).toMatchObject({ code: 0 });
  });

  it('takes many requests at once without a false alarm', async () => {
    const all = await Promise.all(Array.from({ length: 4 }, () => anchor()));
    expect(all.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  });

  it('killed between two answers it remembers what it signed', async () => {
    const [killed] = processesWith(state).filter(({ command }) => command.includes('witness.js'));
    expect(killed).toBeDefined();
    if (killed !== undefined) process.kill(killed.pid, 'SIGKILL');
    await once(witness.child, 'exit');
    witness = await startWitness(state);
    expect(await anchor()).toMatchObject({ code: 0 });
  });

  it('an address where none listens, another key, and a key of another kind are told apart', async () => {
    const other = await startWitness(join(home.root, 'other-witness'));
    const ask = (url: string, vkey: string) => audit('anchor', '--witness', url, '--witness-key', vkey);
    const mixed = await ask(witness.url, other.vkey);
    expect([mixed.code, mixed.stderr]).toEqual([
      1,
      expect.stringContaining('not a cosignature of the witness'),
    ]);
    await stopWitness(other);
    const gone = await ask(other.url, other.vkey);
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('adapter_failed')]);
    expect(await ask(witness.url, log)).toMatchObject({ code: 2 });
    expect(await ask('ftp://127.0.0.1/', witness.vkey)).toMatchObject({ code: 2 });
  });

  it('does not start where another program listens, and says so', async () => {
    const { port } = new URL(witness.url);
    const argv = ['--state', join(home.root, 'late'), '--log', log, '--listen', `127.0.0.1:${port}`];
    expect(await runSub(['witness', '--home', home.home, ...argv])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error[failed]: the witness cannot listen on \`127.0.0.1\`, port ${port}: another program listens there
help: name another address or port of this machine with \`--listen\`
`,
    });
  });

  it('does not start twice over one memory, nor without a log', async () => {
    const argv = ['witness', '--home', home.home, '--state', state, '--log', log];
    const second = await runSub(argv);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('already_running')]);
    expect((await runSub(['witness', '--home', home.home, '--state', state])).code).toBe(2);
    expect((await runSub([...argv.slice(0, -1), witness.vkey])).code).toBe(2);
  });
});

describe('a home that was copied', () => {
  const forked: string[] = [];
  afterEach(async () => {
    for (const folder of forked.splice(0)) await stopGateway(folder);
  });

  /** A copy of the home and of its memory, with a gateway of its own. */
  async function copyHome(name: string): Promise<string> {
    await stopGateway(home.home);
    const copy = join(home.root, name);
    const memory = join(home.root, `${name}-memory`, 'heads.log');
    cpSync(home.home, copy, { recursive: true, filter: (from) => !from.endsWith('.sock') });
    cpSync(join(home.headsLog, '..'), join(memory, '..'), { recursive: true });
    writeFileSync(
      join(copy, 'config.toml'),
      readFileSync(join(home.home, 'config.toml'), 'utf8').replace(home.headsLog, memory),
    );
    forked.push(copy);
    return copy;
  }

  it('gets no cosignature once the other copy went on: a split view exits 4', async () => {
    const copy = await copyHome('fork');
    await run();
    expect(await anchor()).toMatchObject({ code: 0 });
    await run(copy);
    await run(copy);
    await run(copy);
    const argv = ['audit', 'anchor', '--home', copy, '--witness', witness.url, '--witness-key', witness.vkey];
    const split = await runSub(argv);
    expect([split.code, split.stderr]).toEqual([4, expect.stringContaining('contradicts the ledger')]);
    expect(await anchor()).toMatchObject({ code: 0 });
  });

  it('that is put back is told so by the witness alone: exit 4', async () => {
    const copy = await copyHome('older');
    await run();
    await run();
    expect(await anchor()).toMatchObject({ code: 0 });
    const argv = ['audit', 'anchor', '--home', copy, '--witness', witness.url, '--witness-key', witness.vkey];
    const old = await runSub(argv);
    expect([old.code, old.stderr]).toEqual([
      4,
      expect.stringMatching(/it has cosigned [0-9]+ entries, and the ledger has [0-9]+/),
    ]);
  });
});
