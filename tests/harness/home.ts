import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSub } from './sub.js';

/** A throwaway `SUB_HOME` with a memory of its own outside of it. */
export interface TestHome {
  readonly root: string;
  readonly home: string;
  readonly ledger: string;
  readonly headsLog: string;
  /** Stops the gateway, if one runs, and removes everything. */
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
    async remove() {
      await runSub(['down', '--home', home]);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
