import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** A JSON-RPC answer as it came over the wire. */
export interface Answer {
  readonly jsonrpc: string;
  readonly id: string | number | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** An MCP session over a child's stdio that sends lines as they are given, however wrong. */
export interface RawSession {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** Sends bytes; the caller ends its lines. */
  write(text: string | Uint8Array): void;
  /** Sends a request and waits for the answer with its id. */
  request(method: string, params?: unknown, id?: string | number): Promise<Answer>;
  /** Every line that came and was not the answer to a `request`. */
  readonly unclaimed: unknown[];
  /** Closes the input and waits for the child's end. */
  close(): Promise<number | null>;
}

/** Starts `argv` and initialises the session. */
export async function openRawSession(
  argv: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  capabilities: object = {},
): Promise<RawSession> {
  const [command = '', ...args] = argv;
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
  const waiting = new Map<string | number, (answer: Answer) => void>();
  const unclaimed: unknown[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = JSON.parse(line) as Answer;
      const settle = message.id === null || message.id === undefined ? undefined : waiting.get(message.id);
      if (settle === undefined) unclaimed.push(message);
      else {
        waiting.delete(message.id ?? '');
        settle(message);
      }
    }
  });
  const gone = once(child, 'close') as Promise<[number | null]>;

  let nextId = 0;
  const session: RawSession = {
    child,
    unclaimed,
    write: (text) => void child.stdin.write(text),
    request(method, params, id = `raw-${(nextId += 1)}`) {
      return new Promise((resolve, reject) => {
        waiting.set(id, resolve);
        void gone.then(([code]) =>
          reject(new Error(`the session ended with ${code} before ${method} was answered`)),
        );
        child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      });
    },
    async close() {
      child.stdin.end();
      return (await gone)[0];
    },
  };
  await session.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities,
    clientInfo: { name: 'raw', version: '1.0.0' },
  });
  session.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return session;
}
