import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Decision, RunOpened } from '@subluminal/core-types';
import { connectGateway, homePaths, readCredential, type GatewayClient } from '@subluminal/ipc';
import { openLedgerReader, verifyLedger, type LedgerRow } from '@subluminal/ledger';
import { describe, expect, it } from 'vitest';
import { bundle } from './policy-bundle.js';
import { after, runBegin, temporaryHome, toolCall } from './harness.js';

const PROGRAM = fileURLToPath(new URL('../../packages/daemon/dist/bundle/gateway.js', import.meta.url));

function spawnGateway(home: string, headsLog: string): ChildProcess {
  const child = spawn(process.execPath, [PROGRAM, '--home', home, '--heads-log', headsLog], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

async function connect(home: string, kind: 'operator' | RunOpened['credential']): Promise<GatewayClient> {
  const paths = homePaths(home);
  for (;;) {
    try {
      const credential = kind === 'operator' ? readCredential(paths.operatorKey) : kind;
      const client = await connectGateway({ socketPath: paths.socket, credential, clock: Date.now });
      after(() => client.close());
      return client;
    } catch {
      // Not up yet; the test's own time limit ends this.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function rowsOf(home: string): LedgerRow[] {
  const reader = openLedgerReader(homePaths(home).ledgerDb);
  try {
    return [...reader.all({ order: 'asc', limit: 1000 }).rows];
  } finally {
    reader.close();
  }
}

describe('a gateway that is killed', () => {
  it('between pending and result closes the action as interrupted at its next start and never repeats it', async () => {
    const { home, headsLog } = temporaryHome();
    let requests = 0;
    let arrived: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = createServer(() => {
      requests += 1;
      arrived();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    after(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;

    const first = spawnGateway(home, headsLog);
    const operator = await connect(home, 'operator');
    await operator.request('allow.add', { host: '127.0.0.1', port, allow_private: true });
    const { credential, run_id: runId } = RunOpened.parse(
      (await operator.request('run.begin', runBegin())).data,
    );
    const run = await connect(home, credential);
    const payload = { service: 'x', endpoint: `http://127.0.0.1:${port}/`, method: 'POST', body: 'once' };
    const asked = run.request('service.api_call', payload, { id: 'request-cut-off' });
    const open = run.request('tool.call.begin', toolCall(), { id: 'request-tool' });
    expect((await open).status).toBe('success');
    await reached;
    const gone = once(first, 'exit');
    first.kill('SIGKILL');
    await expect(asked).rejects.toMatchObject({ code: 'gateway_unreachable' });
    await gone;
    expect(existsSync(homePaths(home).socket)).toBe(true);

    const second = spawnGateway(home, headsLog);
    const again = await connect(home, credential);
    const resent = await again.request('service.api_call', payload, { id: 'request-cut-off' });
    expect([resent.status, resent.error?.code]).toEqual(['error', 'interrupted']);
    expect(requests).toBe(1);
    const rows = rowsOf(home).filter((row) => row.runId === runId);
    const pending = rows.find((row) => row.type === 'action_pending');
    expect(rows.find((row) => row.type === 'action_result')).toMatchObject({
      ref: pending?.seq,
      code: 'error',
      data: { req: { id: 'request-cut-off' }, error: { code: 'interrupted' } },
    });
    expect(rows.find((row) => row.type === 'tool_call_end')).toMatchObject({
      code: 'ERROR',
      data: { error: { class: 'unknown' } },
    });

    second.kill('SIGTERM');
    const [code] = await once(second, 'exit');
    expect(code).toBe(0);
    expect(existsSync(homePaths(home).socket)).toBe(false);
    expect((await verifyLedger(homePaths(home).ledgerDb, { headsLog })).verdict).toBe('ok');
  });
});

it('a gateway that is killed keeps what waits, what was agreed to, and what was used', async () => {
  const { home, headsLog } = temporaryHome();
  const effect = { action: 'ASK', message: 'reads are asked about' };
  const rule = { rule_id: 'reads', kind: 'ask', enabled: true, severity: 'warn', match: {}, effect };
  writeFileSync(homePaths(home).policy, bundle([rule], { mode: 'control' }), { mode: 0o600 });
  let gateway = spawnGateway(home, headsLog);
  const operator = async (action: string, payload: object) =>
    (await connect(home, 'operator')).request(action, payload);
  const { credential } = RunOpened.parse((await operator('run.begin', runBegin())).data);
  const decided = async (): Promise<Decision> => {
    const { data } = await (await connect(home, credential)).request('tool.call.begin', toolCall());
    return Decision.parse((data as { decision: unknown }).decision);
  };
  const killed = async (): Promise<void> => {
    const gone = once(gateway, 'exit');
    gateway.kill('SIGKILL');
    await gone;
    gateway = spawnGateway(home, headsLog);
  };
  const id = (await decided()).hint?.approval?.id;
  await killed();
  expect((await decided()).hint?.approval?.id).toBe(id);
  expect(await operator('approvals.approve', { approval_id: id })).toMatchObject({ status: 'success' });
  await killed();
  expect((await decided()).action).toBe('ALLOW');
  await killed();
  expect((await decided()).hint?.approval?.id).not.toBe(id);
});

describe('the program', () => {
  it('says in one line why it does not start, with exit code 1, and 2 for a wrong command line', async () => {
    const { home, headsLog } = temporaryHome();
    const run = async (args: string[]): Promise<[number | null, string]> => {
      const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
      let text = '';
      child.stderr.on('data', (chunk) => {
        text += String(chunk);
      });
      const [code] = await once(child, 'close');
      return [typeof code === 'number' ? code : null, text];
    };
    expect(await run(['--home', `${home}/missing`])).toEqual([
      1,
      expect.stringMatching(/^home_missing: [^\n]*\n$/),
    ]);
    expect(await run(['--home', 'relative'])).toEqual([2, expect.stringMatching(/^usage: [^\n]*\n$/)]);
    expect(await run(['--what'])).toEqual([2, expect.stringMatching(/^usage: /)]);
    spawnGateway(home, headsLog);
    await connect(home, 'operator');
    expect(await run(['--home', home, '--heads-log', headsLog])).toEqual([
      1,
      expect.stringMatching(/^already_running: [^\n]*\n$/),
    ]);
  });
});
