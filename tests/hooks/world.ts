import { type ChildProcess, spawn } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type JsonObject, numberAt, textAt } from '@subluminal/core-types';
import type { GatewayOptions } from '@subluminal/daemon';
import { after, dataOf, start, temporaryHome, type TestGateway } from '../gateway/harness.js';

const CLIENT = fileURLToPath(new URL('fixtures/client.mjs', import.meta.url));

/** A gateway that answers hooks, and a program that is named as a client is. */
export interface HookWorld {
  readonly gateway: TestGateway;
  readonly port: number;
  readonly enrolToken: string;
  /** The headers of a hook of Claude Code. */
  readonly headers: Record<string, string>;
  readonly url: string;
  /** The symbolic link under which a test starts a program that is taken for Claude Code. */
  readonly claude: string;
}

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** One request of a program. */
export interface Post {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: Body;
  readonly method?: string;
}

/** The text that is sent, or the file that holds it. */
export type Body = string | { readonly file: string };

export async function hookWorld(
  options: Pick<GatewayOptions, 'clock' | 'fold' | 'http' | 'wrapLedger'> & {
    policy?: string;
    config?: string;
  } = {},
): Promise<HookWorld> {
  const { home } = temporaryHome();
  const gateway = await start(options);
  const operator = await gateway.operator();
  const listening = dataOf(await operator.request('http.listen', {}));
  const [port, enrolToken] = [numberAt(listening, 'port') ?? 0, textAt(listening, 'enrol_token')];
  const claude = join(home, 'claude');
  symlinkSync(process.execPath, claude);
  return {
    gateway,
    port,
    enrolToken,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${enrolToken}` },
    url: `http://127.0.0.1:${port}/hook/claude`,
    claude,
  };
}

/** An event of Claude Code. */
export function event(name: string, members: JsonObject = {}): string {
  return JSON.stringify({ session_id: 's-1', cwd: '/srv/app', hook_event_name: name, ...members });
}

export function use(name: string, id: string, command: string, members: JsonObject = {}): string {
  return event(name, { tool_use_id: id, tool_name: 'Bash', tool_input: { command }, ...members });
}

/** A running client that makes requests when it is told to, over one connection. */
export interface Client {
  readonly child: ChildProcess;
  post(more: Partial<Post> & Pick<Post, 'body'>): Promise<Answered>;
  /** Many at once, each over a connection of its own. */
  all(posts: readonly (Partial<Post> & Pick<Post, 'body'>)[]): Promise<readonly Answered[]>;
}

/** Starts one. `argv` is what it is started by, such as a shell that is called `claude`. */
export function client(world: HookWorld, argv: readonly string[] = [world.claude]): Client {
  const [program = '', ...args] = argv;
  const child = spawn(program, [...args, CLIENT], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'] ?? '' },
  });
  after(() => void child.kill('SIGKILL'));
  let text = '';
  const waiting: ((line: string) => void)[] = [];
  child.stdout.on('data', (part: Buffer) => {
    text += part.toString();
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      waiting.shift()?.(text.slice(0, end));
      text = text.slice(end + 1);
    }
  });
  const all: Client['all'] = (posts) =>
    new Promise((resolve) => {
      waiting.push((line) => resolve(JSON.parse(line) as Answered[]));
      const whole = posts.map((one) => ({ url: world.url, headers: world.headers, ...one }));
      child.stdin.write(`${JSON.stringify(whole)}\n`);
    });
  return {
    child,
    all,
    async post(more) {
      const [answer] = await all([more]);
      if (answer === undefined) throw new Error('no answer came');
      return answer;
    },
  };
}
