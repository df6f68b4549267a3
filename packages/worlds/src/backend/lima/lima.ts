import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalize, isSublError, parseJson, sha256Hex, SublError, textAt } from '@subluminal/core-types';
import type { WorldView } from '../../view.js';
import type { CommandEnd, WorldBackend } from '../backend.js';
import { limaTemplate } from './template.js';

/** How programs of this machine are run. */
export interface LimaRuns {
  /** To its end, for what it says. Throws `failed` if it cannot be started. */
  readonly heard: (
    args: readonly string[],
  ) => Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** With our own descriptors. Resolves with its exit code. */
  readonly shown: (args: readonly string[]) => Promise<number>;
}

export interface LimaParts {
  /** Runs `limactl`. */
  readonly limactl: LimaRuns;
  /** A folder of ours for templates. */
  readonly folder: string;
  /** Of `sub`, which the machine installs, too. */
  readonly version: string;
}

/** Two machines of a person have not the same. */
const KEY_LENGTH = 12;
const INSTALL = 'install Lima: `brew install lima`';

/**
 * Worlds of a Mac: a virtual machine of Lima for each view, in which `sub` of Linux has a gateway of its own
 * and makes the worlds. The machine sees what the view shows of this one, and stays up between commands. Its
 * policy, allowlist and record are the machine's.
 */
export class LimaBackend implements WorldBackend {
  readonly name = 'lima';
  readonly #parts: LimaParts;

  constructor(parts: LimaParts) {
    this.#parts = parts;
  }

  async ensureSession(view: WorldView): Promise<void> {
    const name = machineOf(view);
    const status = await this.#statusOf(name);
    if (status === 'Running') return;
    if (status !== undefined) return this.#start([name]);
    const { folder, version } = this.#parts;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `${name}.yaml`);
    const writable = [...new Set([view.folder, ...view.write])];
    const readable = view.read.filter((path) => !writable.includes(path));
    writeFileSync(file, limaTemplate({ writable, readable, version }), { mode: 0o600 });
    return this.#start([`--name=${name}`, file]);
  }

  async exec(view: WorldView, command: readonly [string, ...string[]]): Promise<CommandEnd> {
    await this.ensureSession(view);
    const paths = [
      ...view.read.flatMap((path) => ['--read', path]),
      ...view.write.flatMap((path) => ['--write', path]),
      ...(view.writesThrough ? ['--write-through'] : []),
    ];
    const inside = ['sub', 'world', 'exec', ...paths, '--', ...command];
    const args = ['shell', '--workdir', view.cwd, machineOf(view), ...inside];
    return { exit: await this.#parts.limactl.shown(args), worldId: undefined, spanId: undefined };
  }

  applyPolicy(): Promise<never> {
    return Promise.reject(
      new SublError('not_available', 'the policy of a world in a virtual machine is the machine’s own', {
        help: 'change it there: `limactl shell MACHINE sub policy init`',
      }),
    );
  }

  async close(view: WorldView): Promise<void> {
    const name = machineOf(view);
    if ((await this.#statusOf(name)) !== 'Running')
      throw new SublError('not_found', 'this folder has no machine that is up', {
        help: '`limactl list` has all',
      });
    await this.#done(['stop', name]);
  }

  #start(words: readonly string[]): Promise<void> {
    return this.#done(['start', '--tty=false', ...words]);
  }

  async #done(args: readonly string[]): Promise<void> {
    const { code, stderr } = await this.#heard(args);
    if (code === 0) return;
    const why = stderr.trim().split('\n').at(-1) ?? '';
    throw new SublError('failed', `\`limactl ${args[0]}\` failed: ${why.slice(0, 300)}`, {
      help: '`limactl list` shows the machines',
    });
  }

  /** As Lima says it; undefined for a machine that is not there. */
  async #statusOf(name: string): Promise<string | undefined> {
    const { code, stdout, stderr } = await this.#heard(['list', '--json']);
    if (code !== 0) throw new SublError('failed', `\`limactl list\` failed: ${stderr.trim().slice(0, 300)}`);
    // One machine a line.
    const machines = stdout
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => parseJson(line));
    const found = machines.find((machine) => textAt(machine, 'name') === name);
    return found === undefined ? undefined : textAt(found, 'status');
  }

  async #heard(args: readonly string[]): ReturnType<LimaRuns['heard']> {
    try {
      return await this.#parts.limactl.heard(args);
    } catch (cause) {
      if (!isSublError(cause) || cause.code !== 'failed') throw cause;
      throw new SublError('not_available', `a world on a Mac needs Lima: ${cause.message}`, {
        cause,
        help: INSTALL,
      });
    }
  }
}

/** The machine of a view, by a name that Lima takes. */
export function machineOf({ folder, read, write }: Pick<WorldView, 'folder' | 'read' | 'write'>): string {
  const shown = canonicalize({ folder, read: [...read].toSorted(), write: [...write].toSorted() });
  return `sub-${sha256Hex(shown).slice(0, KEY_LENGTH)}`;
}
