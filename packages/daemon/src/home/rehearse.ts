import { isAbsolute } from 'node:path';
import { type GatewayConfig, SublError } from '@subluminal/core-types';
import { configOf } from '../compose/config.js';
import { homePaths } from '@subluminal/ipc';
import {
  acceptanceOf,
  type Clock,
  createLogger,
  createTables,
  loadConfig,
  PolicyHolder,
  PolicyStore,
  Recorder,
  requireConfig,
} from '@subluminal/gateway';
import { readExtraCas } from '@subluminal/egress';
import { openDatabase } from '@subluminal/ledger';

/** The policy that the gateway which serves now leaves to the next one; `unknown` where it was not asked. */
export const LAST_POLICIES = ['none', 'unsigned', 'signed', 'unknown'] as const;
export type LastPolicy = (typeof LAST_POLICIES)[number];

/** Which start is rehearsed. */
export interface RehearseOptions {
  readonly home: string;
  readonly last: LastPolicy;
  readonly clock: Clock;
}

/**
 * Whether a gateway of this version would start with the files of the home as they are, while another one
 * serves it: its database is locked then, so what that one leaves behind has to be said. Changes nothing and
 * records nothing.
 *
 * @throws SublError what a start would throw for `config.toml` and `policy.yaml`.
 */
export async function rehearseStart({ home, last, clock }: RehearseOptions): Promise<void> {
  const paths = homePaths(home);
  const config = requireConfig(loadConfig(configOf(paths)));
  checkHeadsLog(config.heads_log);
  if (config.egress.extra_ca_file !== undefined) readExtraCas(config.egress.extra_ca_file);
  if (last === 'unknown' || leavesPolicy(last, config.policy)) return;
  const log = createLogger('error', []);
  const db = openDatabase(':memory:');
  try {
    createTables(db, []);
    const holder = new PolicyHolder({
      path: paths.policy,
      store: new PolicyStore(db),
      recorder: new Recorder({ append: () => Promise.resolve({ ok: true, entries: [] }) }, log),
      clock,
      log,
      acceptance: acceptanceOf(config.policy),
    });
    await holder.start();
  } finally {
    db.close();
  }
}

/** @throws SublError `config_invalid` for a path that depends on where the gateway was started. */
export function checkHeadsLog(path: string | undefined): void {
  if (path === undefined || isAbsolute(path)) return;
  throw new SublError('config_invalid', `the path of heads.log \`${path}\` is not absolute`);
}

/** Whether a start goes on with that policy where the file is no good. */
function leavesPolicy(last: LastPolicy, { accept }: GatewayConfig['policy']): boolean {
  return accept === 'signed' ? last === 'signed' : last !== 'none';
}
