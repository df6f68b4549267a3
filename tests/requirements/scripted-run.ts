import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestHome } from '../harness/home.js';
import { runSub } from '../harness/resident.js';
import { shimCommand } from '../harness/sub.js';

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

/** A line as the client sends it: as it is, or `count` bytes of `fill` between two texts. */
export type Line =
  | { readonly id?: string | number; readonly text: string }
  | {
      readonly id?: string | number;
      readonly before: string;
      readonly fill: string;
      readonly count: number;
      readonly after: string;
    };

/** What the client saw, as it reports it. */
export interface ClientReport {
  readonly code: number;
  /** SHA-256 of all that it sent and got. */
  readonly sent: string;
  readonly got: string;
  readonly gotBytes: number;
  /** Answers in their order; of those above a million bytes only the length. */
  readonly answers: readonly {
    readonly length?: number;
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  }[];
  readonly identity: Readonly<Record<string, string>>;
  readonly memoryKiB: number;
}

export interface ScriptedRun {
  readonly client: ClientReport;
  /** What the server read, and what it wrote. */
  readonly input: Buffer;
  readonly output: Buffer;
}

export interface ScriptedRunOptions {
  readonly lines: readonly Line[];
  readonly runFlags?: readonly string[];
  /** Environment of the shim. */
  readonly env?: Readonly<Record<string, string>>;
  readonly serverArgs?: readonly string[];
}

/** Runs a scripted client below `sub run`, with the recording server behind a shim, to its end. */
export async function scriptedRun(home: TestHome, options: ScriptedRunOptions): Promise<ScriptedRun> {
  const script = join(home.root, 'script.json');
  const records = { RECORD_INPUT: join(home.root, 'input'), RECORD_OUTPUT: join(home.root, 'output') };
  for (const path of Object.values(records)) writeFileSync(path, '');
  const server = [process.execPath, fixture('recording-server.mjs'), ...(options.serverArgs ?? [])];
  const argv = shimCommand(home.home, 'files', server, Object.keys(records));
  writeFileSync(script, JSON.stringify({ argv, env: { ...records, ...options.env }, lines: options.lines }));
  const client = [process.execPath, fixture('scripted-client.mjs'), script];
  const ended = await runSub(['run', '--home', home.home, ...(options.runFlags ?? []), '--', ...client]);
  if (ended.code !== 0) throw new Error(`the run ended with ${ended.code}: ${ended.stderr}`);
  return {
    client: JSON.parse(ended.stdout) as ClientReport,
    input: readFileSync(records.RECORD_INPUT),
    output: readFileSync(records.RECORD_OUTPUT),
  };
}

/** The first two lines of every session. */
export const INITIALIZE: readonly Line[] = [
  {
    id: 0,
    text: '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"scripted","version":"1.0.0"}}}',
  },
  { text: '{"jsonrpc":"2.0","method":"notifications/initialized"}' },
];

/** A `tools/call` with its arguments as they are spelled. */
export function call(id: number, tool: string, args: string): Line {
  return {
    id,
    text: `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${tool}","arguments":${args}}}`,
  };
}

/** The lines that `sub tail` writes of the whole ledger: events, and actions, which have no `type`. */
export async function tailLines(home: TestHome): Promise<string[]> {
  const tail = await runSub(['tail', '--home', home.home, '--no-follow', '--lines', '1000', '--json']);
  if (tail.code !== 0) throw new Error(`sub tail ended with ${tail.code}: ${tail.stderr}`);
  return tail.stdout.split('\n').slice(0, -1);
}

/** SHA-256 of bytes in lowercase hex, by Node's own function. */
export function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
