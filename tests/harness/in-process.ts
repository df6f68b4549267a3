import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '@subluminal/cli';
import { createLedger, openLedger, type Ledger } from '@subluminal/ledger';

/** A home with a ledger and no gateway, for verbs that read the record: they run in this process. */
export interface ReadHome {
  readonly home: string;
  readonly ledger: Ledger;
  /** `sub ARGS --home HOME`; on a terminal of so many columns where they are given. */
  sub(args: readonly string[], columns?: number): Promise<Ran>;
  remove(): Promise<void>;
}

/** The output of a command, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const starterPolicies = fileURLToPath(new URL('../../policies', import.meta.url));

/** Makes the home; its ledger is open until it is removed. */
export async function readHome(): Promise<ReadHome> {
  const root = mkdtempSync(join(tmpdir(), 'sub-'));
  const home = join(root, 'home');
  mkdirSync(join(home, 'keys'), { recursive: true, mode: 0o700 });
  const path = join(home, 'ledger.db');
  const sealKeyPath = join(home, 'keys', 'seal');
  const { privateKey } = generateKeyPairSync('ed25519');
  createLedger({
    path,
    ledgerId: 'read',
    createdMs: 1,
    version: '0.1.0',
    signingKey: privateKey,
    sealKeyPath,
  });
  const ledger = await openLedger({
    path,
    signingKey: { privateKey },
    sealKeyPath,
    durability: 'process',
    clock: Date.now,
  });
  return {
    home,
    ledger,
    sub: (args, columns) => ran([...args, '--home', home], columns),
    async remove() {
      await ledger.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Runs `sub ARGS` in this process; on a terminal of so many columns where they are given. */
export async function ran(
  argv: readonly string[],
  columns?: number,
  around: Partial<Parameters<typeof main>[1]> = {},
): Promise<Ran> {
  const kept = { stdout: '', stderr: '' };
  const sink = (name: keyof typeof kept) => ({
    isTTY: columns !== undefined,
    ...(columns === undefined ? {} : { columns }),
    write(text: string) {
      kept[name] += text;
      return true;
    },
    on: () => undefined,
  });
  const code = await main(argv, {
    env: { NO_COLOR: '1' },
    stdout: sink('stdout'),
    stderr: sink('stderr'),
    cwd: () => '/',
    now: Date.now,
    gatewayProgram: '/nonexistent/gateway.js',
    program: '/nonexistent/sub.mjs',
    starterPolicies,
    ...around,
  });
  return { code, ...kept };
}
