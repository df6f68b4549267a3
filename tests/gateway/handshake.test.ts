import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  type ActionDefinition,
  ACTIONS,
  encodeFrame,
  FrameDecoder,
  httpRunToken,
  objectAt,
  type Credential,
} from '@subluminal/core-types';
import { connectGateway, readCredential } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { after, runBegin, start, temporaryHome, toolCall } from './harness.js';
import { hello, RawPeer, signedPeer } from './raw-peer.js';

const REFUSED = { error: { code: 'handshake_refused', message: 'the gateway refused the handshake' } };

function otherKey(credential: Credential): Credential {
  return { ...credential, key: randomBytes(32).toString('base64url') };
}

const LAYER = { layer_id: '1ec446e79e5a3d08', folder: '/work', run_id: '' };
const NO_FILES = { added: 0, modified: 0, deleted: 0, paths: [] };

describe('a peer that cannot show a key', () => {
  it('gets one and the same refusal for every wrong first frame', async () => {
    const { paths } = await start();
    const operator = readCredential(paths.operatorKey);
    const frames: unknown[] = [
      'not json',
      '[]',
      '{}',
      { ...hello(operator), v: 2 },
      { ...hello(operator), kind: 'root' },
      { ...hello(operator), id: '' },
      { ...hello(operator), nc: 'short' },
      { ...hello(operator), extra: 1 },
      `{"v":1,"v":1,"kind":"operator","id":"operator","epoch":1,"nc":"${'A'.repeat(43)}"}`,
    ];
    for (const frame of frames) {
      const peer = new RawPeer(paths.socket);
      peer.send(frame);
      expect(await peer.next()).toEqual(REFUSED);
      expect(await peer.next()).toBeUndefined();
    }
  });

  it('gets a proof for any id, and the same refusal afterwards whether or not the id exists', async () => {
    const world = await start();
    const run = await world.run();
    const known = otherKey(run.credential);
    const unknown = otherKey({ ...run.credential, id: '01JZZZZZZZZZZZZZZZZZZZZZZZ' });
    for (const credential of [known, unknown, otherKey(readCredential(world.paths.operatorKey))]) {
      const peer = new RawPeer(world.paths.socket);
      peer.send(hello(credential));
      expect(Object.keys((await peer.next()) ?? {})).toEqual(['v', 'ledger_id', 'ns', 'proof_s']);
      peer.send({ proof_c: randomBytes(32).toString('base64url') });
      expect(await peer.next()).toEqual(REFUSED);
      expect(await peer.next()).toBeUndefined();
    }
  });

  it('gets nowhere with the proof of the gateway sent back to it', async () => {
    const { paths } = await start();
    const peer = new RawPeer(paths.socket);
    peer.send(hello(readCredential(paths.operatorKey)));
    const answer = await peer.next();
    peer.send({ proof_c: answer?.['proof_s'] });
    expect(await peer.next()).toEqual(REFUSED);
  });

  it('gets nowhere with a proof that was made for another connection', async () => {
    const { paths } = await start();
    const credential = readCredential(paths.operatorKey);
    const [first, second] = [new RawPeer(paths.socket), new RawPeer(paths.socket)];
    const frame = hello(credential);
    first.send(frame);
    second.send(frame);
    const [one, two] = [await first.next(), await second.next()];
    expect(one?.['ns']).not.toBe(two?.['ns']);
    expect(one?.['proof_s']).not.toBe(two?.['proof_s']);
    second.send({ proof_c: one?.['proof_s'] });
    expect(await second.next()).toEqual(REFUSED);
  });
});

describe('keys', () => {
  it('of a run that calls itself operator open nothing', async () => {
    const world = await start();
    const run = await world.run();
    const posing: Credential[] = [
      { ...run.credential, id: 'operator' },
      { ...run.credential, kind: 'operator', id: 'operator' },
      { ...run.credential, kind: 'operator' },
      { ...run.credential, kind: 'enrol', id: 'enrol' },
    ];
    for (const credential of posing) {
      await expect(world.connect(credential)).rejects.toMatchObject({ code: 'gateway_unreachable' });
    }
  });

  it('of an earlier epoch, or for another id of the same kind, open nothing', async () => {
    const world = await start();
    const operator = readCredential(world.paths.operatorKey);
    for (const credential of [
      { ...operator, epoch: 2 },
      { ...operator, id: 'someone' },
    ]) {
      await expect(world.connect(credential)).rejects.toBeDefined();
    }
  });

  it('that are made of the tokens for HTTP open nothing', async () => {
    const world = await start();
    const operator = await world.operator();
    const run = await world.run();
    const { data } = await operator.request('http.listen', {});
    const secretOf = (token: unknown): string => String(token).slice(-43);
    const shown = secretOf(httpRunToken(run.credential));
    const enrol = secretOf(objectAt(data ?? null)['enrol_token']);
    expect([shown, enrol]).toEqual([
      expect.stringMatching(/^[\w-]{43}$/),
      expect.stringMatching(/^[\w-]{43}$/),
    ]);
    for (const credential of [
      { ...run.credential, key: shown },
      { ...readCredential(world.paths.enrolKey), key: enrol },
      { ...readCredential(world.paths.operatorKey), key: enrol },
    ]) {
      await expect(world.connect(credential)).rejects.toMatchObject({ code: 'gateway_unreachable' });
    }
  });

  it('of an ended run are refused', async () => {
    const world = await start();
    const run = await world.run();
    const ended = await run.client.request('run.end', { status: 'SUCCEEDED' });
    expect(ended.status).toBe('success');
    const { peer } = await signedPeer(world.paths.socket, run.credential);
    expect(await peer.next()).toEqual(REFUSED);
  });

  it('of a run may ask for no action of the operator, and each attempt is recorded', async () => {
    const world = await start();
    const run = await world.run();
    const payloads: Record<string, unknown> = {
      'allow.add': { host: 'example.com' },
      'allow.remove': { id: 'x' },
      'allow.deactivate': { id: 'x' },
      'approvals.approve': { approval_id: 'x' },
      'approvals.deny': { approval_id: 'x' },
      'run.begin': runBegin(),
      'tools.approve': { server_name: 'fs', tools: [{ tool_name: 'x', hash: 'a'.repeat(64) }] },
      'tools.forget': { server_name: 'fs' },
      'hints.promote': { run_id: run.id, call_id: 'call-000001' },
      'policy.trust': { file: '/work/.subluminal.yaml', text: 'x' },
      'layer.commit': {
        ...LAYER,
        plan_sha256: 'a'.repeat(64),
        fs_diff: NO_FILES,
        risky: [],
        risky_count: 0,
        left: [],
      },
      'layer.discard': { ...LAYER, fs_diff: NO_FILES },
      'layer.recover': { ...LAYER, unsettled: 0 },
      'layer.end': { begun: 1, done: 0, left: [], exit: 0 },
      'policy.untrust': { file: '/work/.subluminal.yaml' },
      'policy.explain': { server_name: 'fs', tool_name: 'read_file', args: {} },
      'audit.anchored': { kind: 'file', target: '/f', size: 1, root: 'a'.repeat(64), evidence: {} },
      'run.ingest': {
        source: { kind: 'events', name: 'x' },
        run_id: 'x',
        verified: 'none',
        by: 'x',
        first: 0,
        events: [],
      },
      'secrets.add': { name: 'x', value: 'a-value-of-some-length', salt: 'a'.repeat(64) },
      'secrets.remove': { name: 'x' },
      'secrets.reveal': { name: 'x' },
      'secrets.kept': { change: 'added', name: 'x' },
      'secrets.bound': {
        change: 'bound',
        server_name: 'fs',
        inject_as: 'TOKEN',
        secret_ref: 'x',
        source: 'store',
        redact: true,
        argv_hash: 'a'.repeat(64),
      },
      'audit.anchor': { url: 'http://127.0.0.1:1', witness: 'w' },
      'account.add': {
        name: 'x',
        kind: 'api',
        settings: { origin: 'https://api.example.com' },
        secret: 'a-value-of-some-length',
        salt: 'a'.repeat(64),
      },
      'ui.session': { event: 'begun' },
      'ui.layer': { does: 'commit', layer_id: '1ec446e79e5a3d08', shown: 'a'.repeat(64) },
      'ui.rule': { entry: 17, as: 'any', shown: 'a'.repeat(64) },
      'account.remove': { name: 'x' },
      'account.test': { name: 'x' },
      'account.claim': { name: 'x', token: 'aHR0cHM6Ly9hLnRlc3QvY2xhaW0=' },
    };
    const actions = Object.entries(ACTIONS).filter(
      // The tests in tests/net ask for the actions that only the gateway may ask for.
      ([, { permitted }]: [string, ActionDefinition]) =>
        !permitted.includes('run') && !permitted.includes('gateway'),
    );
    expect(actions.map(([name]) => name)).toContain('approvals.approve');
    // Refusals of one run beyond a number are counted, and not recorded one by one.
    const other = await world.run();
    for (const [at, [action]] of actions.entries()) {
      const { client } = at % 2 === 0 ? run : other;
      const answer = await client.request(action, payloads[action] ?? {});
      expect([action, answer.status, answer.error?.code]).toEqual([action, 'error', 'not_permitted']);
      expect(answer.auditRef).not.toBe('');
    }
    expect(world.rows('action_rejected').filter(({ runId }) => runId !== null)).toHaveLength(actions.length);
  });

  it('of enrolment may open a run and nothing else', async () => {
    const world = await start();
    const enrol = await world.connect(readCredential(world.paths.enrolKey));
    for (const action of ['gateway.status', 'allow.list', 'run.read', 'policy.show']) {
      expect((await enrol.request(action, {})).error?.code).toBe('not_permitted');
    }
    expect((await enrol.request('tool.call.begin', toolCall())).error?.code).toBe('not_permitted');
    expect((await enrol.request('run.begin', runBegin())).data).toMatchObject({ attested: false });
  });
});

describe('a squatter on the socket', () => {
  it('that relays the first frame to the gateway cannot answer a single request', async () => {
    const world = await start();
    const { home } = temporaryHome();
    const path = join(home, 's.sock');
    const forged = JSON.stringify({
      requestId: 'request-1',
      timestamp: new Date().toISOString(),
      status: 'success',
      data: { decision: { action: 'ALLOW' } },
      auditRef: '',
      signature: 'A'.repeat(43),
    });
    // It passes the handshake on and then says ALLOW itself.
    const server = createServer((client) => {
      const upstream = new RawPeer(world.paths.socket);
      const decoder = new FrameDecoder();
      let frames = 0;
      client.on('data', (chunk) => {
        for (const frame of decoder.push(Buffer.from(chunk))) {
          frames += 1;
          if (frames <= 2) upstream.send(frame);
          else client.write(encodeFrame(forged));
        }
      });
      upstream.socket.on('data', (chunk) => client.write(chunk));
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    after(() => void server.close());
    const run = await world.run();
    const client = await connectGateway({ socketPath: path, credential: run.credential, clock: Date.now });
    after(() => client.close());
    await expect(client.request('tool.call.begin', toolCall())).rejects.toMatchObject({
      code: 'gateway_unreachable',
    });
  });
});
