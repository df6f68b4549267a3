import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createHome, type TestHome } from '../harness/home.js';
import { eventually, processesWith } from '../harness/processes.js';
import { finished, SUB, type Finished } from '../harness/sub.js';
import { startModel, type Model } from './model/model.js';
import { openNetwork } from './network.js';
import { programOf } from '../support/programs.js';

const require = createRequire(import.meta.url);
const CLIENT_MS = 60_000;

/** Servers, as a user's config starts them. `modern` speaks only revision 2026-07-28. */
export const SERVERS = {
  everything: [require.resolve('@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
  files: [require.resolve('@modelcontextprotocol/server-filesystem/dist/index.js')],
  modern: [programOf('modern-server')],
} as const;

/**
 * Where a real client plays: a user with a home and a project, a gateway's home, a scripted model, and no
 * network.
 */
export interface Stage {
  readonly sub: TestHome;
  /** HOME of the user. */
  readonly user: string;
  readonly project: string;
  readonly model: Model;
  /** The environment of the user's shell; the test's own stays outside. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts a program in the project as that user would. */
  start(
    argv: readonly string[],
    env?: Readonly<Record<string, string>>,
    stdin?: 'ignore' | 'pipe',
  ): ChildProcess;
  /** Starts it and waits for its end. */
  run(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
  /** Runs `sub ARGS`. */
  runSub(...args: string[]): Promise<Finished>;
  /** Starts `sub tail`. */
  tail(): Tail;
  /** Waits until nothing of the stage is left but its gateway; throws with what is left. */
  isQuiet(): Promise<void>;
  /** Ends all of it. */
  close(): Promise<void>;
}

export interface Tail {
  /** What it has printed so far. */
  lines(): string;
  stop(): void;
}

/** `policy`: text of policy.yaml; none for a gateway that allows and records. */
export async function openStage(policy?: string): Promise<Stage> {
  const sub = createHome(policy === undefined ? {} : { policy });
  const [user, project] = [join(sub.root, 'user'), join(sub.root, 'project')];
  for (const folder of [user, join(project, '.git')]) mkdirSync(folder, { recursive: true });
  const network = await openNetwork();
  const prefix = network?.prefix ?? [];
  const model = await startModel(prefix);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: user,
    USER: 'ada',
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    SUB_HOME: sub.home,
  };
  const started: ChildProcess[] = [];
  const start: Stage['start'] = (argv, more = {}, stdin = 'ignore') => {
    const [program = '', ...args] = [...prefix, ...argv];
    const child = spawn(program, args, {
      cwd: project,
      env: { ...env, ...more },
      stdio: [stdin, 'pipe', 'pipe'],
    });
    started.push(child);
    return child;
  };
  const left = () =>
    processesWith(sub.root).filter(
      ({ command }) => !/gateway\S*\.js/.test(command) && !/ tail /.test(command),
    );
  return {
    sub,
    user,
    project,
    model,
    env,
    start,
    run: (argv, more) => finished(start(argv, more), CLIENT_MS),
    runSub: (...args) => finished(start([process.execPath, SUB, ...args]), CLIENT_MS),
    tail() {
      const child = start([process.execPath, SUB, 'tail', '--lines', '20']);
      let text = '';
      child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      return { lines: () => text, stop: () => void child.kill('SIGTERM') };
    },
    async isQuiet() {
      await eventually('nothing is left', () => left().length === 0, 5000).catch(() => {
        throw new Error(`left behind: ${JSON.stringify(left())}`);
      });
    },
    async close() {
      for (const child of started) child.kill('SIGKILL');
      model.close();
      await sub.remove();
      network?.close();
    },
  };
}
