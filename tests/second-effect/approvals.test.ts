import { RunOpened, type ActionResponse, type Credential } from '@subluminal/core-types';
import { processIdentity, type GatewayClient } from '@subluminal/ipc';
import { verifyLedger } from '@subluminal/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FaultControl } from '../faults/kit/control.js';
import { buildFaultLibrary } from '../faults/kit/library.js';
import { FaultWorld } from '../faults/kit/world.js';
import { CountingService } from './killable.js';

const library = buildFaultLibrary();
const path = 'path' in library ? library.path : '';
/** More than a mebibyte waits for an approval, every time. */
const LARGE = 'x'.repeat(1_100_000);

describe.skipIf('missing' in library)('a grant that is used when the gateway is killed', () => {
  let world: FaultWorld;
  let service: CountingService;
  let control: FaultControl;
  let credential: Credential;
  let port = 0;

  beforeEach(async () => {
    world = new FaultWorld();
    service = new CountingService();
    control = new FaultControl();
    port = await service.listen();
    await world.start(control.env(path, world.watched));
    await operator('allow.add', { host: '127.0.0.1', port, allow_private: true });
    const opened = await operator('run.begin', {
      agent_id: 'agent',
      client: 'custom',
      env: 'dev',
      holder: processIdentity(process.pid),
    });
    credential = RunOpened.parse(opened.data).credential;
  });

  afterEach(async () => {
    await world.remove();
    service.close();
    control.remove();
  });

  const operator = async (action: string, payload: object): Promise<ActionResponse> =>
    (await world.operator()).request(action, payload);
  const run = (): Promise<GatewayClient> => world.connect('run', () => credential);
  const transfer = async (id: string): Promise<string> => {
    const payload = {
      service: 'bank',
      endpoint: `http://127.0.0.1:${port}/`,
      method: 'POST',
      body: LARGE,
    };
    const answer = await (await run()).request('service.api_call', payload, { id });
    return answer.error?.code ?? answer.status;
  };

  async function granted(): Promise<void> {
    const payload = {
      service: 'bank',
      endpoint: `http://127.0.0.1:${port}/`,
      method: 'POST',
      body: LARGE,
    };
    const asked = await (await run()).request('service.api_call', payload, { id: 'request-ask' });
    expect(asked.status).toBe('requires_approval');
    const approvalId = asked.error?.details?.['approval_id'];
    expect((await operator('approvals.approve', { approval_id: approvalId })).status).toBe('success');
  }

  async function killed(asked: Promise<string>): Promise<void> {
    const { gateway } = world;
    await expect(asked).rejects.toMatchObject({ code: 'gateway_unreachable' });
    await gateway?.ended;
    world.disconnect();
    expect(await world.start()).toBeUndefined();
  }

  it('between the effect and its result is used up: the same request is told so, another one needs another grant', async () => {
    await granted();
    service.onRequest = () => world.gateway?.child.kill('SIGKILL');
    await killed(transfer('request-used'));
    service.onRequest = () => undefined;
    expect(await transfer('request-used')).toBe('interrupted');
    expect(await transfer('request-more')).toBe('requires_approval');
    expect(service.requests).toHaveLength(1);
    await world.stop();
    expect((await verifyLedger(world.paths.ledgerDb, { headsLog: world.headsLog })).exit).toBe(0);
  });

  it('before its use is on the disk is used once, by whoever comes then', async () => {
    await granted();
    control.set([{ ops: ['write'], path: '*/ledger.db-wal', action: 'kill' }]);
    await killed(transfer('request-lost'));
    expect(service.connections).toBe(0);
    expect(await transfer('request-lost')).toBe('success');
    expect(await transfer('request-more')).toBe('requires_approval');
    expect(service.requests).toHaveLength(1);
    await world.stop();
    expect((await verifyLedger(world.paths.ledgerDb, { headsLog: world.headsLog })).exit).toBe(0);
  });
});
