import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonValue } from '@subluminal/core-types';
import {
  connectGateway,
  type GatewayClient,
  type HomePaths,
  homePaths,
  readCredential,
} from '@subluminal/ipc';
import { startGateway } from '@subluminal/shim';
import { eventually } from '../harness/processes.js';
import { assertNoLongTurn, WATCHED_GATEWAY } from './watch.js';

/** The real gateway's program. */
export const GATEWAY = fileURLToPath(
  new URL('../../packages/daemon/dist/bundle/gateway.js', import.meta.url),
);

/** A throwaway home with the real gateway, started as the shim starts it. */
export class GatewayHome {
  readonly root = mkdtempSync(join(tmpdir(), 'shim-'));
  readonly paths: HomePaths = homePaths(join(this.root, 'home'));

  constructor(policy?: string) {
    mkdirSync(this.paths.home, { mode: 0o700 });
    const config = `heads_log = ${JSON.stringify(join(this.root, 'heads.log'))}\n`;
    writeFileSync(this.paths.config, config, { mode: 0o600 });
    if (policy !== undefined) writeFileSync(this.paths.policy, policy, { mode: 0o600 });
  }

  async start(): Promise<this> {
    await startGateway({ paths: this.paths, entry: GATEWAY });
    return this;
  }

  /** The same with a watch over its event loop. */
  async startWatched(): Promise<this> {
    await startGateway({ paths: this.paths, entry: WATCHED_GATEWAY });
    return this;
  }

  operator(): Promise<GatewayClient> {
    const credential = readCredential(this.paths.operatorKey);
    return connectGateway({ socketPath: this.paths.socket, credential, clock: Date.now });
  }

  async ask(action: string, payload: object = {}): Promise<JsonValue> {
    const client = await this.operator();
    try {
      const answer = await client.request(action, payload);
      if (answer.status !== 'success')
        throw new Error(`${action}: ${answer.error?.code} ${answer.error?.message}`);
      return answer.data ?? null;
    } finally {
      client.close();
    }
  }

  async gatewayPid(): Promise<number> {
    const status = await this.ask('gateway.status');
    if (!isJsonObject(status) || typeof status['pid'] !== 'number') throw new Error('no pid in the status');
    return status['pid'];
  }

  /** Ends the gateway with a signal and waits until it is gone. */
  async endGateway(signal: NodeJS.Signals): Promise<void> {
    const pid = await this.gatewayPid();
    process.kill(pid, signal);
    await eventually('the gateway ends', () => !isRunning(pid));
  }

  async remove(): Promise<void> {
    if (
      await this.gatewayPid().then(
        () => true,
        () => false,
      )
    )
      await this.endGateway('SIGTERM');
    try {
      assertNoLongTurn(this.root);
    } finally {
      rmSync(this.root, { recursive: true, force: true });
    }
  }
}

/** Tells whether a process number is in use; a zombie counts as well. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}
