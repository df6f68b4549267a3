import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLedgerReader, type LedgerRow } from '@subluminal/ledger';
import { after } from '../../gateway/cleanups.js';
import { createHome, type TestHome } from '../../harness/home.js';
import { finished, SUB } from '../../harness/sub.js';
import { dovecotMissing } from '../../mail/kit/dovecot.js';
import { HAS_RADICALE } from '../../records/kit/radicale.js';
import { NAME_SERVER } from './name-server.js';
import { readTrace, WATCHED, type Trace } from './trace.js';

/** One command of a session. */
export interface Step {
  readonly name: string;
  readonly argv: readonly string[];
  readonly input?: string;
}

/** What became of it. */
export interface Answer {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const KIT = fileURLToPath(new URL('.', import.meta.url));
const STRACE = ['strace', '-f', '-qq', '-ttt', '-s', '4096', '--seccomp-bpf', '-e', `trace=${WATCHED}`];

/** Why no session can be watched here; undefined where it can. */
export function whyNotHere(): string | undefined {
  const reason = whyNoTrace();
  if (reason !== undefined) return reason;
  if (!HAS_RADICALE) return 'no radicale';
  return dovecotMissing();
}

/** The same of a session that needs no servers. */
export function whyNoTrace(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs Linux and root';
  const missing = ['strace', 'unshare', 'mount'].find((one) => spawnSync(one, ['-V']).error !== undefined);
  if (missing !== undefined) return `no ${missing}`;
  if (spawnSync('unshare', ['-m', ...STRACE, '-o', '/dev/null', 'true']).status !== 0)
    return 'strace or unshare -m is not allowed';
  return undefined;
}

/** A home, and a session of real commands on it, where names are asked of `NAME_SERVER` alone. */
export class Stage {
  readonly home: TestHome;

  constructor(config: string) {
    this.home = createHome({ config });
    after(() => this.home.remove());
  }

  /** A command of `sub` on this home. */
  sub(name: string, args: readonly string[], input?: string): Step {
    const [verb = '', ...rest] = args;
    const argv = [process.execPath, SUB, verb, ...rest];
    // What stands behind `--` is not for `sub`.
    const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
    argv.splice(end, 0, '--home', this.home.home);
    return { name, argv, ...(input === undefined ? {} : { input }) };
  }

  /** A program of this folder. */
  program(name: string): string {
    return join(KIT, name);
  }

  /** Runs all steps under strace, and waits until everything that they started has ended. */
  async watch(
    groups: readonly (readonly Step[])[],
    env: NodeJS.ProcessEnv,
  ): Promise<{ readonly answers: Readonly<Record<string, Answer>>; readonly trace: Trace }> {
    const at = (name: string): string => join(this.home.root, name);
    writeFileSync(at('plan.json'), JSON.stringify({ groups }));
    writeFileSync(at('resolv.conf'), `nameserver ${NAME_SERVER}\n`);
    const script = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
    const traced = [
      ...STRACE,
      '-o',
      at('trace'),
      process.execPath,
      this.program('session.mjs'),
      at('plan.json'),
    ];
    const args = ['-m', 'sh', '-c', script, 'sh', at('resolv.conf'), ...traced];
    const child = spawn('unshare', args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { code, stdout, stderr } = await finished(child, 120_000);
    if (code !== 0 || !existsSync(at('trace'))) throw new Error(`the session failed (${code}): ${stderr}`);
    return {
      answers: JSON.parse(stdout) as Record<string, Answer>,
      trace: readTrace(readFileSync(at('trace'), 'utf8'), programOf),
    };
  }

  rows(): LedgerRow[] {
    const reader = openLedgerReader(this.home.ledger);
    try {
      return [...reader.all({ order: 'asc', limit: 1000 }).rows];
    } finally {
      reader.close();
    }
  }
}

/** What a process runs, told by the script that Node was given. */
function programOf(argv: readonly string[]): string {
  const script = argv.slice(1).find((word) => !word.startsWith('--')) ?? '';
  if (/\/cli\/(?:bin\/sub\.mjs|dist\/(?:shim-)?bundle\/main\.js)$/.test(script))
    return argv.includes('shim') ? 'shim' : 'cli';
  if (script.endsWith('/daemon/dist/bundle/gateway.js')) return 'gateway';
  return script.startsWith(KIT) ? script.slice(KIT.length) : (argv[0] ?? '');
}
