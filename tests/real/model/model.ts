import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';

const SERVER = fileURLToPath(new URL('server.mjs', import.meta.url));
const Port = z.object({ port: z.number() });
const Asked = z.object({ path: z.string(), body: z.looseObject({}) });

/**
 * One turn of the model: words, or calls named as MCP names them; without a server they are of the client's
 * own tools.
 */
export interface Step {
  readonly text?: string;
  /** Looks for tools by words, where a client offers that. */
  readonly search?: string;
  readonly calls?: readonly {
    readonly server?: string;
    readonly tool: string;
    readonly input: object | string;
  }[];
}

/** A request that a client sent to the model. */
export type Asked = z.infer<typeof Asked>;

export interface Model {
  readonly url: string;
  /** Every request since the last `play`. */
  readonly asked: readonly Asked[];
  play(steps: readonly Step[]): void;
  close(): void;
}

/** Starts the scripted model in the network that `prefix` enters. */
export async function startModel(prefix: readonly string[]): Promise<Model> {
  const [program, ...args] = [...prefix, process.execPath, SERVER];
  if (program === undefined) throw new Error('there is nothing to start');
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [first] = await once(lines, 'line');
  const { port } = Port.parse(JSON.parse(String(first)));
  const asked: Asked[] = [];
  lines.on('line', (line) => asked.push(Asked.parse(JSON.parse(line))));
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    play(steps) {
      asked.length = 0;
      child.stdin.write(`${JSON.stringify({ steps })}\n`);
    },
    close: () => void child.kill('SIGKILL'),
  };
}
