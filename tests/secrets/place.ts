import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { openLedgerReader } from '@subluminal/ledger';
import { createHome, type TestHome } from '../harness/home.js';
import { openRawSession, type RawSession } from '../harness/raw-session.js';
import { runSub } from '../harness/resident.js';
import { finished, type Finished, shimCommand, type SubOptions } from '../harness/sub.js';

export const KEEPER = fileURLToPath(new URL('fixtures/keeper-server.mjs', import.meta.url));
export const SERVER = [process.execPath, KEEPER] as const;

/** A home for secrets, and a server that tells all that it knows. */
export class SecretPlace {
  readonly home: TestHome;

  constructor(config = '') {
    this.home = createHome({ config });
  }

  /** Runs `sub` in this home. */
  sub(args: readonly string[], options: SubOptions = {}): Promise<Finished> {
    const end = args.indexOf('--');
    const [own, command] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end)];
    return runSub([...own, '--home', this.home.home, ...command], options);
  }

  /** Adds a binding to `config.toml` as a person would. */
  bind(binding: Readonly<Record<string, unknown>>): void {
    const path = join(this.home.home, 'config.toml');
    const lines = Object.entries({ server_name: 'keeper', command: SERVER, ...binding }).map(
      ([key, value]) => `${key} = ${JSON.stringify(value)}\n`,
    );
    writeFileSync(path, `${readFileSync(path, 'utf8')}\n[[secret_bindings]]\n${lines.join('')}`);
  }

  /** A file with a secret. */
  file(name: string, text: string, mode = 0o600): string {
    const path = join(this.home.root, name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  }

  argv(options: { server?: string; command?: readonly string[]; pass?: readonly string[] } = {}): string[] {
    const { server = 'keeper', command = SERVER, pass } = options;
    return shimCommand(this.home.home, server, command, pass);
  }

  open(
    env: Readonly<Record<string, string>> = {},
    options: Parameters<SecretPlace['argv']>[0] = {},
  ): Promise<RawSession> {
    return openRawSession(this.argv(options), { PATH: process.env['PATH'], ...env });
  }

  /** Starts a shim whose client says hello and goes. */
  async attempt(
    env: Readonly<Record<string, string>>,
    options: Parameters<SecretPlace['argv']>[0] = {},
    cwd?: string,
  ): Promise<Finished> {
    const [command = '', ...args] = this.argv(options);
    const child = spawn(command, args, {
      cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], ...env },
    });
    // Its input stays open: a client that is refused may keep it.
    child.stdin.write(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}\n',
    );
    child.stdin.on('error', () => undefined);
    return finished(child, 30_000);
  }

  /** All entries of a type, their data. */
  recorded(type: string): readonly unknown[] {
    const reader = openLedgerReader(this.home.ledger);
    try {
      return reader
        .all({ limit: 500, cursor: null })
        .rows.filter((row) => row.type === type)
        .map((row) => row.data)
        .toReversed();
    } finally {
      reader.close();
    }
  }

  /** Everything that was written below the home, but for what `except` names. */
  written(except: readonly string[] = []): ReadonlyMap<string, Buffer> {
    return new Map(
      readdirSync(this.home.root, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && !except.includes(entry.name))
        .map((entry) => {
          const path = join(entry.parentPath, entry.name);
          return [path, readFileSync(path)] as const;
        }),
    );
  }
}

/** What a tool of the server answered with. */
export async function said(session: RawSession, text: string, name = 'say', pad = 0): Promise<unknown> {
  const answer = await session.request('tools/call', { name, arguments: { text, pad } });
  return answer.error ?? answer.result;
}
