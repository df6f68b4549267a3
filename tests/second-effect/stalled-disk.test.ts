import { RunOpened, type ActionResponse, type Credential } from '@subluminal/core-types';
import { processIdentity } from '@subluminal/ipc';
import { openLedgerReader, verifyLedger, type LedgerRow } from '@subluminal/ledger';
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultControl } from '../faults/kit/control.js';
import { buildFaultLibrary } from '../faults/kit/library.js';
import { FaultWorld, pause } from '../faults/kit/world.js';
import { CountingService } from './killable.js';
import { denyRm } from '../support/deny-rm.js';

const library = buildFaultLibrary();
const path = 'path' in library ? library.path : '';
const STALL_US = 400_000;

describe.skipIf('missing' in library)('while the disk stalls on a sync', () => {
  let world: FaultWorld;
  let service: CountingService;
  let control: FaultControl;
  let credential: Credential;
  let runId = '';
  let entry = '';
  let port = 0;

  beforeEach(async () => {
    world = new FaultWorld();
    service = new CountingService();
    control = new FaultControl();
    port = await service.listen();
    await world.start(control.env(path, world.watched));
    const added = await operator('allow.add', { host: '127.0.0.1', port, allow_private: true });
    entry = String((added.data as { entry?: { id?: unknown } }).entry?.id);
    const opened = RunOpened.parse(
      (
        await operator('run.begin', {
          agent_id: 'agent',
          client: 'custom',
          env: 'dev',
          holder: processIdentity(process.pid),
        })
      ).data,
    );
    ({ credential, run_id: runId } = opened);
  });

  afterEach(async () => {
    await world.remove();
    service.close();
    control.remove();
  });

  const operator = async (action: string, payload: object): Promise<ActionResponse> =>
    (await world.operator()).request(action, payload);
  const run = () => world.connect('run', () => credential);

  const send = async (): Promise<string> =>
    codeOf(
      (await run()).request('service.api_call', {
        service: 'x',
        endpoint: `http://127.0.0.1:${port}/`,
        method: 'POST',
        body: 'secret',
      }),
    );

  const call = async (n: number): Promise<string> =>
    codeOf(
      (await run()).request('tool.call.begin', {
        call_id: `call-stalled-${String(n).padStart(8, '0')}`,
        shim_id: 'shim-1',
        server_name: 'files',
        tool_name: 'rm',
        transport: 'mcp_stdio',
        bytes_in: 40,
        args: {},
      }),
    );

  /**
   * Something else is on its way to the disk; then `change` is asked for, then `effect`, and both have to
   * wait.
   */
  async function meanwhile(
    change: () => Promise<ActionResponse>,
    effect: () => Promise<string>,
  ): Promise<{ changed: string; told: string }> {
    await run();
    control.set([{ ops: ['sync'], path: '*/ledger.db-wal', action: 'delay', argument: STALL_US }]);
    const other = operator('allow.add', { host: 'unrelated.example' });
    await pause(50);
    const changed = codeOf(change());
    await pause(50);
    const told = effect();
    const result = { changed: await changed, told: await told };
    await other;
    control.clear();
    return result;
  }

  async function verdict(): Promise<number> {
    await world.stop();
    return (await verifyLedger(world.paths.ledgerDb, { headsLog: world.headsLog })).exit;
  }

  /**
   * Whether the effect was recorded before the change: of two who come at once, the gateway may read either
   * first.
   */
  function cameFirst(isChange: (row: LedgerRow) => boolean): boolean {
    const reader = openLedgerReader(world.paths.ledgerDb);
    try {
      const rows = reader.recent(50);
      const effect = rows.find((row) => row.tool === 'service.api_call' && row.type === 'action_pending');
      const change = rows.find(isChange);
      return effect !== undefined && change !== undefined && effect.seq < change.seq;
    } finally {
      reader.close();
    }
  }

  it('a destination is taken off the allowlist: not a byte leaves', async () => {
    const { changed, told } = await meanwhile(() => operator('allow.deactivate', { id: entry }), send);
    expect(changed).toBe('success');
    expect(await verdict()).toBe(0);
    if (cameFirst((row) => row.tool === 'allow.deactivate' && row.type === 'action_pending')) return;
    expect(told).toBe('not_allowed');
    expect([service.connections, service.bytes, service.requests]).toEqual([0, 0, []]);
  });

  it('the run ends: not a byte leaves', async () => {
    const { changed, told } = await meanwhile(
      () => operator('run.end', { run_id: runId, status: 'CANCELLED' }),
      send,
    );
    expect(changed).toBe('success');
    expect(await verdict()).toBe(0);
    expect([
      'run_ended',
      'gateway_unreachable',
      'handshake_refused',
      'cancelled',
      'adapter_failed',
    ]).toContain(told);
    expect([service.connections, service.bytes, service.requests]).toEqual([0, 0, []]);
  });

  it('a policy that blocks the call is loaded: from its acknowledgement on nobody is told yes', async () => {
    await run();
    const answers: { readonly told: string; readonly at: number }[] = [];
    control.set([{ ops: ['sync'], path: '*/ledger.db-wal', action: 'delay', argument: STALL_US / 4 }]);
    writeFileSync(world.paths.policy, denyRm('2'), { mode: 0o600 });
    const loaded = operator('policy.reload', {}).then(({ status }) => ({ status, at: performance.now() }));
    let over = Number.POSITIVE_INFINITY;
    void loaded.then(({ at }) => (over = at + 100));
    const asked: Promise<unknown>[] = [];
    for (let n = 0; performance.now() < over; n += 1) {
      asked.push(call(n).then((told) => answers.push({ told, at: performance.now() })));
      await pause(5);
    }
    await Promise.all(asked);
    const { status, at } = await loaded;
    expect(status).toBe('success');
    const late = answers.filter((answer) => answer.at > at).map(({ told }) => told);
    expect(new Set(late)).toEqual(new Set(['policy_blocked']));
    control.clear();
    expect(await verdict()).toBe(0);
  });

  it('a request that was there first is sent after its pending entry is on the disk, and not before', async () => {
    control.set([{ ops: ['sync'], path: '*/ledger.db-wal', action: 'delay', argument: STALL_US }]);
    await run();
    const asked = send();
    await pause(STALL_US / 1000 / 2);
    expect([service.connections, service.bytes]).toEqual([0, 0]);
    expect(await asked).toBe('success');
    expect(service.requests).toHaveLength(1);
    control.clear();
    expect(await verdict()).toBe(0);
  });
});

async function codeOf(answer: Promise<ActionResponse>): Promise<string> {
  try {
    const { status, error } = await answer;
    return error?.code ?? status;
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}
