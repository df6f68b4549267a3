import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LedgerRow, openLedgerReader } from '@subluminal/ledger';
import { programOf } from '../../support/programs.js';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const SERVE = programOf('world-gateway');
const DENY_NAMESPACES = fileURLToPath(new URL('deny-namespaces.pl', import.meta.url));
export const SUB = join(REPOSITORY, 'packages/cli/bin/sub.mjs');
/** An account that every machine has, and nothing belongs to. */
const NOBODY = 65_534;

/**
 * The users that a world is tried as: the one that runs the tests, and where that is root a plain one, too.
 */
export const USERS: readonly (readonly [string, number | undefined])[] =
  process.getuid?.() === 0
    ? [
        ['root', undefined],
        ['a plain user', NOBODY],
      ]
    : [['a plain user', undefined]];

/** The plain one alone: for what the system lets both do alike, as what is asked, said and recorded. */
export const PLAIN_USER = USERS.slice(-1);

/** Tells whether that user is the plain one. */
export function isPlain(uid: number | undefined): boolean {
  return PLAIN_USER.some(([, plain]) => plain === uid);
}

/** The same for what takes longest: as the second one only in the long form of the tests. */
export const USERS_AT_LENGTH = process.env['SUB_LONG'] === undefined ? USERS.slice(0, 1) : USERS;

/** Why this machine makes no worlds; undefined where it does. */
export function whyNoWorlds(): string | undefined {
  for (const program of ['/usr/bin/bwrap', '/usr/bin/perl', '/usr/sbin/nft'])
    if (!existsSync(program)) return `\`${program}\` is missing`;
  const tried = spawnSync('unshare', ['--user', '--map-root-user', '--net', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? undefined : `no namespaces: ${tried.stderr.trim()}`;
}

/** Why this machine cannot be made one that answers so to `unshare`; undefined if it can. */
export function deniesNamespaces(error: number): string | undefined {
  const tried = spawnSync('/usr/bin/perl', [DENY_NAMESPACES, String(error), '/bin/true'], {
    encoding: 'utf8',
  });
  return tried.status === 0 ? undefined : `no filter of system calls: ${tried.stderr.trim()}`;
}

/** The end of a command in a world. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The machine of a stage. */
export interface Machine {
  /** The error that `unshare` answers there: a container's filter denies namespaces. */
  readonly deniesNamespaces?: number;
  /** More system calls that are denied there, by their numbers. */
  readonly denies?: readonly number[];
  /** The gateway is outside of that machine. */
  readonly isDeniedTo?: 'starter';
  /** More variables of whoever starts worlds. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Lines of `config.toml`. */
  readonly settings?: string;
}

/** A gateway of a user, that user's project, and commands in worlds. */
export class Stage {
  readonly root = mkdtempSync('/var/tmp/sub-w-');
  readonly project = join(this.root, 'project');
  readonly home = join(this.root, 'h');
  readonly #uid: number | undefined;
  readonly #machine: Machine;
  #gateway: ChildProcess | undefined;

  constructor(uid: number | undefined, machine: Machine = {}) {
    this.#uid = uid;
    this.#machine = machine;
    mkdirSync(this.project);
    if (uid !== undefined) for (const path of [this.root, this.project]) chownSync(path, uid, uid);
  }

  /** Makes a file of the project the user's. */
  give(name: string): void {
    if (this.#uid !== undefined) chownSync(join(this.project, name), this.#uid, this.#uid);
  }

  /** Starts the gateway with that policy. Each of the names is this machine, at these ports. */
  async start(
    names: Readonly<Record<string, readonly { port?: number; protocol?: string }[]>>,
    policy = '',
  ): Promise<void> {
    const [program, ...words] = this.#onMachine(
      SERVE,
      this.home,
      JSON.stringify(names),
      policy,
      this.#machine.settings ?? '',
    );
    const child = spawn(program, words, {
      ...this.#as,
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd: REPOSITORY,
    });
    this.#gateway = child;
    await this.#line();
  }

  /** Has the gateway decide by this policy. */
  async decideBy(policy: string): Promise<void> {
    const path = join(this.home, 'policy.yaml');
    writeFileSync(path, policy, { mode: 0o600 });
    if (this.#uid !== undefined) chownSync(path, this.#uid, this.#uid);
    const { code, stderr } = await this.sub('policy', 'reload');
    if (code !== 0) throw new Error(stderr);
  }

  /** A process of the same user that is in no world. */
  get gatewayPid(): number {
    return this.#gateway?.pid ?? 0;
  }

  /** Every name that the gateway has looked up. */
  async resolved(): Promise<readonly string[]> {
    const line = this.#line();
    this.#gateway?.stdin?.write('resolved\n');
    return JSON.parse(await line) as string[];
  }

  /** A world that is less than full lays no layer. */
  get #flags(): readonly string[] {
    const { denies, settings = '' } = this.#machine;
    const isDenied = denies !== undefined || this.#machine.deniesNamespaces !== undefined;
    return isDenied || settings.includes('require =') ? ['--write-through'] : [];
  }

  /** Runs a shell's script in a world of its own. */
  inWorld(script: string, ...flags: readonly string[]): Promise<Ended> {
    const all = [...new Set([...this.#flags, ...flags])];
    return this.sub('world', 'exec', '--fresh', ...all, '--', '/bin/sh', '-c', script);
  }

  /** Runs a script, and sends a signal to the command that runs it once that has said something. */
  signalled(signal: NodeJS.Signals, script: string): Promise<Ended> {
    return this.#sub(['world', 'exec', '--fresh', ...this.#flags, '--', '/bin/sh', '-c', script], signal);
  }

  /** Runs a script on a terminal of its own, and types something there once it has said `ready`. */
  typed(keys: string, script: string): Promise<{ readonly code: number | null; readonly shown: string }> {
    const words = ['world', 'exec', '--fresh', ...this.#flags, '--', '/bin/sh', '-c', script];
    const command = this.#onMachine(SUB, ...words).map((word) => `'${word}'`);
    const child = spawn('/usr/bin/script', ['-qec', `exec ${command.join(' ')}`, '/dev/null'], {
      ...this.#as,
      cwd: this.project,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!shown.includes('ready') && (shown + text).includes('ready')) child.stdin.write(keys);
      shown += text;
    });
    return new Promise((resolve) => child.once('close', (code) => resolve({ code, shown })));
  }

  sub(...args: readonly string[]): Promise<Ended> {
    return this.#sub(args);
  }

  #sub(args: readonly string[], signal?: NodeJS.Signals): Promise<Ended> {
    return new Promise((resolve) => {
      const [program, ...words] = this.#onMachine(SUB, ...args);
      const child = execFile(
        program,
        words,
        { ...this.#as, cwd: this.project, maxBuffer: 16_777_216, timeout: 200_000 },
        (error, stdout, stderr) =>
          resolve({
            code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1,
            stdout,
            stderr,
          }),
      );
      child.stdin?.end();
      if (signal !== undefined) child.stdout?.once('data', () => child.kill(signal));
    });
  }

  /** The words of a command line as the stage's user. */
  asUser(...words: readonly string[]): [string, ...string[]] {
    const uid = String(this.#uid);
    const before = ['setpriv', '--reuid', uid, '--regid', uid, '--clear-groups'] as const;
    return (this.#uid === undefined ? words : [...before, ...words]) as [string, ...string[]];
  }

  /** The processes of its worlds: those whose mounts have the project, and not the whole machine. */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/mountinfo`, 'utf8').includes(` ${this.project} `);
        } catch {
          return false;
        }
      });
  }

  /** The processes that stay outside at the doors of its worlds. */
  keepers(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
          return line.includes('enter.pl') && line.includes(`=${this.home}/run/worlds/`);
        } catch {
          return false;
        }
      });
  }

  rows(): LedgerRow[] {
    const reader = openLedgerReader(join(this.home, 'ledger.db'));
    try {
      return [...reader.all({ order: 'asc', limit: 1000 }).rows];
    } finally {
      reader.close();
    }
  }

  /** Ends the gateway as a crash would. */
  async killGateway(): Promise<void> {
    const gateway = this.#gateway;
    if (gateway === undefined) return;
    const gone = new Promise((resolve) => gateway.once('exit', resolve));
    gateway.kill('SIGKILL');
    await gone;
  }

  /** Has the gateway end as it does when it is asked to. */
  async stopGateway(): Promise<void> {
    const gateway = this.#gateway;
    if (gateway === undefined || gateway.exitCode !== null || gateway.signalCode !== null) return;
    const gone = new Promise((resolve) => gateway.once('exit', resolve));
    gateway.stdin?.end();
    await gone;
  }

  async remove(): Promise<void> {
    await this.stopGateway();
    rmSync(this.root, { recursive: true, force: true });
  }

  /** The words of a command line of Node on the stage's machine. */
  #onMachine(...words: readonly string[]): [string, ...string[]] {
    const { deniesNamespaces: error, denies = [], isDeniedTo } = this.#machine;
    const node = [process.execPath, ...words] as const;
    if (error === undefined || (words[0] === SERVE && isDeniedTo === 'starter')) return [...node];
    return ['/usr/bin/perl', DENY_NAMESPACES, [error, ...denies].join(','), ...node];
  }

  get #as(): { uid?: number; gid?: number; env: NodeJS.ProcessEnv } {
    const env = {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      LANG: 'C.UTF-8',
      SUB_HOME: this.home,
      CANARY: 'canary-env',
      ...this.#machine.variables,
    };
    return this.#uid === undefined ? { env } : { env, uid: this.#uid, gid: this.#uid };
  }

  #line(): Promise<string> {
    return new Promise((resolve, reject) => {
      let text = '';
      const { stdout } = this.#gateway ?? {};
      const take = (chunk: Buffer): void => {
        text += chunk.toString();
        if (!text.includes('\n')) return;
        stdout?.off('data', take);
        resolve(text.trim());
      };
      stdout?.on('data', take);
      this.#gateway?.once('exit', (code) => reject(new Error(`the gateway has ended (${code})`)));
    });
  }
}
