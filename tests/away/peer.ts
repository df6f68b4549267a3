import {
  argsHash,
  decodeKey,
  deriveSpoolKey,
  isJsonObject,
  NO_LINE,
  RunOpened,
  writeSpoolLine,
  type ActionResponse,
  type Credential,
  type JsonObject,
  type JsonValue,
} from '@subluminal/core-types';
import { processIdentity, type GatewayClient } from '@subluminal/ipc';
import { runBegin, type TestGateway } from '../gateway/harness.js';

/** Reads are what the policy tags so, and five of them are left to a run. */
export const POLICY = `
policy_id: team
version: 1.0.0
mode: guardrails
defaults: { decision_on_error: BLOCK, fail_open_read_tools: true }
selectors: {}
rules:
  - rule_id: reads
    kind: tag
    enabled: true
    severity: info
    match: { tool_name: { glob: ['read_*'] } }
    effect: { tag: { add_risk_class: [read_like] } }
  - rule_id: writes
    kind: tag
    enabled: true
    severity: info
    match: { tool_name: { glob: ['write_*', 'read_and_*'] } }
    effect: { tag: { add_risk_class: [write_like] } }
  - rule_id: five-reads
    kind: budget
    enabled: true
    severity: warn
    match: { tool_name: { glob: ['read_*'] } }
    effect: { budget: { scope: run, limit_calls: 5, on_exceed: BLOCK } }
  - rule_id: not-that
    kind: deny
    enabled: true
    severity: warn
    match: { args: { key_equals: { path: /etc/shadow } } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: not that file }
`;

/** A snapshot as it was pushed. */
export interface Pushed {
  readonly head: JsonObject & { readonly id: string; readonly issued_ms: number };
  readonly signature: string;
  readonly body: string;
  readonly key: string;
  readonly secret: string;
}

/** One shim of a run, by hand. */
export interface HandShim {
  readonly runId: string;
  readonly credential: Credential;
  readonly shimId: string;
  client: GatewayClient;
  readonly pushes: JsonObject[];
  /** The newest snapshot that it was given. */
  readonly snapshot: () => Pushed;
  /** Comes back on a new connection, with what it did. */
  readonly back: (spool?: Handed) => Promise<ActionResponse>;
}

/** What a shim hands over. */
export interface Handed {
  readonly text: string;
  readonly lines: number;
  readonly calls: number;
  readonly last: string;
}

let shims = 0;

/** Connects as a shim of a new run, or of that of another one, and begins a server. */
export async function handShim(world: TestGateway, of?: HandShim): Promise<HandShim> {
  const opened = of ?? (await openRun(world));
  const pushes: JsonObject[] = [];
  const onPush = (event: JsonValue): void => void (isJsonObject(event) && pushes.push(event));
  shims += 1;
  const shim: HandShim = {
    runId: opened.runId,
    credential: opened.credential,
    shimId: `shim-${shims}`,
    client: await world.connect(opened.credential, onPush),
    pushes,
    snapshot: () => {
      const found = pushes.findLast(({ type }) => type === 'snapshot');
      if (found === undefined) throw new Error('no snapshot was pushed');
      return found as unknown as Pushed;
    },
    back: async (spool) => {
      shim.client.close();
      shim.client = await world.connect(opened.credential, onPush);
      return ingest(shim, spool);
    },
  };
  const me = processIdentity(process.pid);
  const begun = await shim.client.request('upstream.begin', {
    shim_id: shim.shimId,
    proc_id: `${me?.pid}-${me?.start}`,
    server_name: 'files',
    argv_hash: 'ab'.repeat(32),
    token: `token-of-a-test-${String(shims).padStart(8, '0')}`,
    shim: me,
  });
  if (begun.status !== 'success') throw new Error(JSON.stringify(begun.error));
  return shim;
}

/** Presents a spool as that shim. */
export function ingest(shim: HandShim, spool?: Handed): Promise<ActionResponse> {
  return shim.client.request('spool.ingest', {
    shim_id: shim.shimId,
    server_name: 'files',
    ...(spool === undefined ? {} : { spool }),
  });
}

async function openRun(world: TestGateway): Promise<{ runId: string; credential: Credential }> {
  const operator = await world.operator();
  const opened = RunOpened.parse((await operator.request('run.begin', runBegin())).data);
  return { runId: opened.run_id, credential: opened.credential };
}

let calls = 0;

/** A process that is none. */
export const NOBODY = { pid: 999_999, start: '1' };

/** The first line of a spool under a snapshot; this process wrote it, unless `owner` did. */
export function headBody({ head, signature }: Pushed, owner = self()): JsonObject {
  return { kind: 'head', head, signature, owner };
}

function self(): { pid: number; start: string } {
  const me = processIdentity(process.pid);
  return { pid: me?.pid ?? 0, start: me?.start ?? '' };
}

/** The line of a call that begins under a snapshot. */
export function beginBody({ head }: Pushed, more: JsonObject = {}): JsonObject & { call_id: string } {
  calls += 1;
  const args = { path: '/tmp/a' };
  return {
    kind: 'begin',
    ms: head.issued_ms + 10,
    call_id: `alone-${String(calls).padStart(8, '0')}`,
    asked: `asked-${String(calls).padStart(8, '0')}`,
    tool_name: 'read_file',
    args_hash: argsHash(args),
    args,
    bytes_in: 40,
    preview: { args_preview: JSON.stringify(args), redactions: 0, truncated: false },
    tags: ['read_like'],
    decision: {
      rule_id: null,
      severity: 'info',
      reason_code: 'NO_MATCH_ALLOWED',
      summary: 'no rule matches',
    },
    ...more,
  };
}

/** The line of its end. */
export function endBody({ head }: Pushed, callId: string, more: JsonObject = {}): JsonObject {
  return {
    kind: 'end',
    ms: head.issued_ms + 20,
    end: {
      call_id: callId,
      status: 'OK',
      latency_ms: 3,
      bytes_out: 12,
      preview: { truncated: false, result_preview: '{"ok":true}' },
      ...more,
    },
  };
}

/** The key of a shim's spool under its snapshot. */
export function keyOf(shim: HandShim, { head, secret }: Pushed): Uint8Array {
  const { key, ledger_id: ledgerId } = shim.credential;
  return deriveSpoolKey(decodeKey(key), ledgerId, head.id, secret);
}

/** Writes bodies as a spool under a key. */
export function spoolOf(key: Uint8Array, bodies: readonly JsonObject[]): Handed {
  const lines: string[] = [];
  let last = NO_LINE;
  for (const [n, body] of bodies.entries()) {
    const line = writeSpoolLine(key, n, last, body);
    lines.push(line.text);
    last = line.hash;
  }
  return {
    text: lines.map((line) => `${line}\n`).join(''),
    lines: lines.length,
    calls: bodies.filter(({ kind }) => kind === 'begin').length,
    last,
  };
}

/** A spool of so many reads, with their ends. */
export function spoolOfReads(shim: HandShim, count: number, owner = self()): Handed {
  const pushed = shim.snapshot();
  const reads = Array.from({ length: count }, () => beginBody(pushed));
  const lines = reads.flatMap((begin) => [begin, endBody(pushed, begin.call_id)]);
  return spoolOf(keyOf(shim, pushed), [headBody(pushed, owner), ...lines]);
}
