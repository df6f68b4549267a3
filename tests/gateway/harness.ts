import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  isJsonObject,
  RunOpened,
  type ActionResponse,
  type Credential,
  type JsonObject,
  type JsonValue,
  type ProcessIdentity,
} from '@subluminal/core-types';
import { startGateway, type Gateway, type GatewayOptions } from '@subluminal/daemon';
import {
  connectGateway,
  homePaths,
  processIdentity,
  readCredential,
  type GatewayClient,
  type HomePaths,
} from '@subluminal/ipc';
import { openLedgerReader, verifyLedger, type EntryType, type LedgerRow } from '@subluminal/ledger';
import { after } from './cleanups.js';

export { after } from './cleanups.js';

/** A home with a gateway in this process, on a real socket and a real ledger. */
export interface TestGateway {
  readonly paths: HomePaths;
  readonly headsLog: string;
  gateway: Gateway;
  readonly operator: () => Promise<GatewayClient>;
  readonly connect: (credential: Credential, onPush?: (event: JsonValue) => void) => Promise<GatewayClient>;
  /** Opens an attested run and connects with its key. This process holds it where no other is named. */
  readonly run: (onPush?: (event: JsonValue) => void, holder?: ProcessIdentity) => Promise<TestRun>;
  readonly rows: (type?: EntryType) => LedgerRow[];
  /** Every recorded call in the order of its start, with the codes of its decision and its end. */
  readonly calls: () => RecordedCall[];
  readonly restart: (options?: Partial<GatewayOptions>) => Promise<void>;
  readonly verify: () => Promise<string>;
}

export interface RecordedCall {
  readonly runId: string | null;
  readonly seq: unknown;
  readonly decision: string | null | undefined;
  readonly end: string | null | undefined;
}

export interface TestRun {
  readonly id: string;
  readonly credential: Credential;
  readonly client: GatewayClient;
}

/** An empty home, removed after the test. Paths stay short: a socket path has at most 100 bytes. */
export function temporaryHome(): { home: string; headsLog: string } {
  const folder = mkdtempSync(join(tmpdir(), 'sub-gw-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const home = mkdtempSync(join(folder, 'h'));
  return { home, headsLog: join(folder, 'heads.log') };
}

/** Starts a gateway on a new home, stopped after the test. */
export async function start(
  options: Partial<GatewayOptions> & { policy?: string; config?: string } = {},
): Promise<TestGateway> {
  const { policy, config, ...rest } = options;
  const place =
    options.home === undefined
      ? temporaryHome()
      : { home: options.home, headsLog: `${options.home}-heads.log` };
  const paths = homePaths(place.home);
  if (policy !== undefined) writeFileSync(paths.policy, policy, { mode: 0o600 });
  if (config !== undefined) writeFileSync(paths.config, config, { mode: 0o600 });
  const base: GatewayOptions = {
    home: place.home,
    headsLog: place.headsLog,
    // Questions of tests are no news for who runs them.
    desktop: { platform: 'linux', folders: [], bus: '' },
    ...rest,
  };
  const clock = rest.clock ?? Date.now;
  const connect = async (
    credential: Credential,
    onPush?: (event: JsonValue) => void,
  ): Promise<GatewayClient> => {
    const client = await connectGateway({
      socketPath: paths.socket,
      credential,
      clock,
      ...(onPush === undefined ? {} : { onPush }),
    });
    after(() => client.close());
    return client;
  };
  const world: TestGateway = {
    paths,
    headsLog: place.headsLog,
    gateway: await startGateway(base),
    connect,
    operator: () => connect(readCredential(paths.operatorKey)),
    run: async (onPush, holder) => {
      const operator = await world.operator();
      const opened = await operator.request('run.begin', runBegin(holder === undefined ? {} : { holder }));
      const { run_id: id, credential } = RunOpened.parse(opened.data);
      return { id, credential, client: await connect(credential, onPush) };
    },
    rows: (type) => {
      const reader = openLedgerReader(paths.ledgerDb);
      try {
        const rows = [...reader.all({ order: 'asc', limit: 1000 }).rows];
        return type === undefined ? rows : rows.filter((row) => row.type === type);
      } finally {
        reader.close();
      }
    },
    calls: () => {
      const reader = openLedgerReader(paths.ledgerDb);
      try {
        const calls: RecordedCall[] = [];
        let cursor: number | null = null;
        do {
          const page: ReturnType<typeof reader.byType> = reader.byType('tool_call_start', {
            order: 'asc',
            limit: 1000,
            cursor,
          });
          for (const row of page.rows) {
            const decision = reader.referring(row.seq);
            const end = decision === undefined ? undefined : reader.referring(decision.seq);
            const { seq } = row.data['call'] as JsonObject;
            calls.push({ runId: row.runId, seq, decision: decision?.code, end: end?.code });
          }
          cursor = page.next;
        } while (cursor !== null);
        return calls;
      } finally {
        reader.close();
      }
    },
    restart: async (more = {}) => {
      await world.gateway.stop('test');
      world.gateway = await startGateway({ ...base, ...more });
    },
    verify: async () => {
      const report = await verifyLedger(paths.ledgerDb, { headsLog: place.headsLog });
      return report.verdict;
    },
  };
  after(() => world.gateway.stop('test'));
  return world;
}

/** A `run.begin` that this process holds. */
export function runBegin(more: Record<string, unknown> = {}): Record<string, unknown> {
  const holder = processIdentity(process.pid);
  return { agent_id: 'agent', client: 'custom', env: 'dev', holder, ...more };
}

let calls = 0;

/** A `tool.call.begin` with a new call id. */
export function toolCall(more: Record<string, unknown> = {}): Record<string, unknown> & { call_id: string } {
  calls += 1;
  return {
    call_id: `call-${String(calls).padStart(6, '0')}`,
    shim_id: 'shim-1',
    server_name: 'fs',
    tool_name: 'read_file',
    transport: 'mcp_stdio',
    bytes_in: 40,
    args: { path: '/tmp/a' },
    ...more,
  };
}

/** A `tool.call.end` of that call. */
export function toolEnd(callId: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    call_id: callId,
    status: 'OK',
    latency_ms: 3,
    bytes_out: 12,
    preview: { truncated: false, result_preview: '{"ok":true}' },
    ...more,
  };
}

/** The data of an answer as an object. */
export function dataOf(response: Pick<ActionResponse, 'data'>): JsonObject {
  const { data } = response;
  if (data === undefined || !isJsonObject(data)) throw new Error(`no data in ${JSON.stringify(response)}`);
  return data;
}
