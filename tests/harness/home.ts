import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { homePaths } from '@subluminal/ipc';
import { startGateway } from '@subluminal/shim';
import { assertNoLongTurn, WATCHED_GATEWAY } from '../support/watch.js';
import { eventually, processesWith, watchEnd } from './processes.js';

/** A throwaway `SUB_HOME` with a memory of its own outside of it. */
export interface TestHome {
  readonly root: string;
  readonly home: string;
  readonly ledger: string;
  readonly headsLog: string;
  /** Starts the gateway as a shim does, with a watch over its event loop. */
  startWatched(): Promise<void>;
  /**
   * Stops the gateway, if one runs, and removes everything. Rejects when a watched one held its event loop
   * for too long.
   */
  remove(): Promise<void>;
}

export interface TestHomeOptions {
  /** Text of `policy.yaml`. */
  readonly policy?: string;
  /** Lines of `config.toml` besides `heads_log`. */
  readonly config?: string;
}

/** Makes the folders; the gateway that is started first fills them. */
export function createHome(options: TestHomeOptions = {}): TestHome {
  const root = mkdtempSync(join(tmpdir(), 'sub-'));
  const home = join(root, 'home');
  const headsLog = join(root, 'memory', 'heads.log');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(
    join(home, 'config.toml'),
    `heads_log = ${JSON.stringify(headsLog)}\n${options.config ?? ''}`,
    {
      mode: 0o600,
    },
  );
  if (options.policy !== undefined) writeFileSync(join(home, 'policy.yaml'), options.policy, { mode: 0o600 });
  return {
    root,
    home,
    ledger: join(home, 'ledger.db'),
    headsLog,
    async startWatched() {
      await startGateway({ paths: homePaths(home), entry: WATCHED_GATEWAY });
    },
    async remove() {
      await stopGateway(home);
      try {
        assertNoLongTurn(root);
      } finally {
        rmSync(root, { recursive: true, force: true });
      }
    },
  };
}

/**
 * Ends the gateway of `home` as the system would. `sub down` is refused to a test that has started a shim:
 * the shim left a ticket for its parent, so the test is inside a run. When this returns nobody answers at its
 * socket.
 */
export async function stopGateway(home: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  const gateways = () => processesWith(home).filter(({ command }) => /gateway\S*\.js/.test(command));
  const ends = gateways().map(({ pid }) => {
    const hasEnded = watchEnd(pid);
    process.kill(pid, signal);
    return hasEnded;
  });
  await eventually(
    `the gateway of ${home} ends`,
    () => ends.every((hasEnded) => hasEnded()) && gateways().length === 0,
  );
}
