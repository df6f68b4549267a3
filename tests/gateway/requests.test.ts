import { createSecretKey, randomBytes } from 'node:crypto';
import { canonicalize, type JsonObject, numberAt, sha256Hex } from '@subluminal/core-types';
import { readCredential } from '@subluminal/ipc';
import { describe, expect, it } from 'vitest';
import { start, toolCall, type TestGateway } from './harness.js';
import { signedPeer } from './raw-peer.js';

const call = { service: 'x', endpoint: 'https://example.com/', method: 'GET' };

async function operatorPeer(world: TestGateway) {
  return await signedPeer(world.paths.socket, readCredential(world.paths.operatorKey));
}

function errorOf(answer: Record<string, unknown> | undefined): unknown {
  const error = answer?.['error'];
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

describe('a stream in which something was not signed', () => {
  it('is read no further: what follows is not carried out, also when it came at the same time', async () => {
    const world = await start();
    const { ask, peer } = await operatorPeer(world);
    const forged = ask({ action: 'gateway.status' }, (request) => {
      request['signature'] = randomBytes(32).toString('base64url');
    });
    const follower = ask({ action: 'allow.add', payload: { host: 'example.com' } });
    expect(errorOf(await forged)).toBe('bad_signature');
    expect(await follower).toBeUndefined();
    await peer.closed();
    expect(world.rows('action_pending')).toEqual([]);
    const list = await (await world.operator()).request('allow.list', {});
    expect(list.data).toEqual({ entries: [] });
  });
});

describe('the schema of a request', () => {
  it('passes a valid request', async () => {
    const world = await start();
    const { ask } = await operatorPeer(world);
    expect(await ask({ action: 'gateway.status' })).toMatchObject({ status: 'success' });
  });

  it.each(['id', 'timestamp', 'action', 'payload', 'source', 'signature'])(
    'rejects a request without %s',
    async (field) => {
      const world = await start();
      const { ask } = await operatorPeer(world);
      const answer = await ask({ action: 'gateway.status' }, (request) => {
        delete request[field];
      });
      expect(errorOf(answer)).toBe('invalid_request');
      expect(world.rows('action_rejected').at(-1)?.data['stage']).toBe('schema');
    },
  );

  it.each([
    ['an unknown action', { action: 'email.shred' }],
    ['an action named like a property of every object', { action: 'constructor' }],
    ['an invalid timestamp', { timestamp: 'yesterday' }],
    ['a timestamp without a zone', { timestamp: '2026-01-01T00:00:00' }],
    ['an id with other characters', { id: 'has space in it' }],
    ['an id that is too short', { id: 'short' }],
  ])('rejects %s', async (_name, request) => {
    const world = await start();
    const { ask } = await operatorPeer(world);
    expect(errorOf(await ask(request))).toBe('invalid_request');
  });

  it('rejects an empty signature', async () => {
    const world = await start();
    const { ask } = await operatorPeer(world);
    const answer = await ask({ action: 'gateway.status' }, (request) => {
      request['signature'] = '';
    });
    expect(errorOf(answer)).toBe('invalid_request');
  });

  it.each([
    ['email.send', { to: ['not an address'], subject: 's', body: 'b' }],
    ['email.draft', { to: [], subject: 's', body: 'b' }],
    ['email.fetch', { limit: -1 }],
    ['calendar.fetch', { startDate: 'x', endDate: 'y' }],
    ['calendar.create', { title: 't' }],
    ['calendar.update', { title: 't', startTime: 1, endTime: 2 }],
    ['finance.fetch_transactions', { limit: 'ten' }],
    ['health.fetch', {}],
    ['service.api_call', { ...call, method: 'TRACE' }],
    ['service.api_call', { ...call, extra: 1 }],
    ['tool.call.begin', toolCall({ args: undefined })],
    ['tool.call.end', { call_id: 'x' }],
    ['run.begin', { agent_id: 'a' }],
    ['allow.add', { host: 'x', port: 0 }],
    ['gateway.stop', { now: true }],
  ])('rejects a malformed payload of %s', async (action, payload) => {
    const world = await start();
    const { ask } = await operatorPeer(world);
    expect(errorOf(await ask({ action, payload: JSON.parse(JSON.stringify(payload)) }))).toBe(
      'invalid_request',
    );
    // It is found under the action that was asked for.
    expect(world.rows('action_rejected').at(-1)).toMatchObject({ tool: action, data: { action } });
  });

  it('says in plain words what is wrong where, and what may stand there', async () => {
    const world = await start();
    const operator = await world.operator();
    expect(await operator.request('email.send', { to: ['a@example.com'], body: 'b' })).toMatchObject({
      error: {
        code: 'invalid_request',
        message: 'the payload of `email.send` does not fit: `subject` is missing',
        help: 'expected there: a text',
      },
    });
    expect(await operator.request('service.api_call', { ...call, endpoint: 'example.com' })).toMatchObject({
      error: {
        code: 'invalid_request',
        message: '`endpoint` is not an absolute http or https URL',
        help: 'write it as `https://HOST/PATH`',
      },
    });
  });

  it('answers a frame that is not strict json and closes only that connection', async () => {
    const world = await start();
    const bystander = await world.operator();
    for (const text of ['{"id":1', '{"id":"a","id":"b"}', `${'['.repeat(70)}${']'.repeat(70)}`]) {
      const { peer } = await operatorPeer(world);
      peer.send(text);
      expect(['invalid_json', 'too_deep']).toContain(errorOf(await peer.next()));
      expect(await peer.next()).toBeUndefined();
    }
    expect((await bystander.request('gateway.status', {})).status).toBe('success');
  });
});

describe('the signature of a request', () => {
  it.each([
    ['the payload', { payload: { limit: 3 } }],
    ['the timestamp', { timestamp: new Date(Date.now() + 1000).toISOString() }],
    ['the action', { action: 'policy.reload', payload: {} }],
    ['the id', { id: 'another-id-0001' }],
    ['the signature', { signature: 'A'.repeat(43) }],
    ['the spelling of the signature', { signature: `${'A'.repeat(43)}=` }],
  ])('does not verify when %s was changed, and the connection ends', async (_name, change) => {
    const world = await start();
    const { ask, peer } = await operatorPeer(world);
    const answer = await ask({ action: 'runs.list', payload: { limit: 2 } }, (request) =>
      Object.assign(request, change),
    );
    expect(errorOf(answer)).toBe('bad_signature');
    expect(await peer.next()).toBeUndefined();
    expect(world.rows('action_rejected').at(-1)?.data).toMatchObject({
      stage: 'signature',
      error: { code: 'bad_signature' },
    });
  });

  it('does not verify under another key', async () => {
    const world = await start();
    const { ask } = await operatorPeer(world);
    expect(errorOf(await ask({ action: 'gateway.status', key: createSecretKey(randomBytes(32)) }))).toBe(
      'bad_signature',
    );
  });

  it('does not verify at another place of the stream', async () => {
    const world = await start();
    const { ask } = await operatorPeer(world);
    expect(await ask({ action: 'gateway.status' })).toMatchObject({ status: 'success' });
    expect(errorOf(await ask({ action: 'gateway.status', seq: 1 }))).toBe('bad_signature');
  });

  it('does not cover another source than the one that shook hands', async () => {
    const world = await start();
    const run = await world.run();
    const { ask } = await signedPeer(world.paths.socket, run.credential);
    expect(errorOf(await ask({ action: 'run.read', source: 'operator' }))).toBe('not_permitted');
  });

  it.each([-31_000, 31_000])('is stale at %i ms from now, and the answer tells the time', async (offset) => {
    const world = await start();
    const { ask } = await operatorPeer(world);
    const answer = await ask({
      action: 'gateway.status',
      timestamp: new Date(Date.now() + offset).toISOString(),
    });
    expect(errorOf(answer)).toBe('stale_timestamp');
    expect(answer?.['error']).toMatchObject({
      details: { now: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
    });
    expect(await ask({ action: 'gateway.status' })).toMatchObject({ status: 'success' });
  });

  it('is good once: the same id again is a replay, on the same connection', async () => {
    const world = await start();
    const { ask } = await operatorPeer(world);
    const request = { id: 'once-and-no-more', action: 'allow.add', payload: { host: 'example.com' } };
    expect(await ask(request)).toMatchObject({ status: 'success' });
    expect(errorOf(await ask(request))).toBe('replayed');
    expect(world.rows('action_pending')).toHaveLength(1);
  });
});

describe('the hash of the arguments', () => {
  it('is that of the arguments which were judged, in canonical form', async () => {
    const world = await start();
    const run = await world.run();
    const args = { z: 1, a: ['x', { '\u{1F600}': 1, '\uFF61': 2 }], __proto: 0 };
    const answer = await run.client.request('tool.call.begin', toolCall({ args }));
    expect(answer.data).toMatchObject({ args_hash: sha256Hex(canonicalize(args)), seq: 1 });
    expect(world.rows('tool_call_start').at(-1)?.data['call']).toMatchObject({
      args_hash: sha256Hex(canonicalize(args)),
    });
  });

  it('is the hash of the stream where the arguments were not inspected', async () => {
    const world = await start();
    const run = await world.run();
    const streamHash = sha256Hex('raw');
    const { args: _, ...rest } = toolCall({
      bytes_in: 2_000_000,
      uninspected: { stream_hash: streamHash, bytes: 2_000_000 },
    });
    const answer = await run.client.request('tool.call.begin', rest);
    expect(answer.data).toMatchObject({ args_hash: streamHash });
    expect(world.rows('tool_call_start').at(-1)?.data['call']).toMatchObject({
      args_hash: streamHash,
      args_stream_hash: streamHash,
      preview: { truncated: true },
    });
  });
});

describe('a large frame', () => {
  it('takes a turn to be read, and what came behind it is decided after it', async () => {
    const world = await start();
    const run = await world.run();
    const calls = Array.from({ length: 6 }, (_, at) =>
      toolCall({ args: { text: 'x'.repeat(at % 2 === 0 ? 1_200_000 : 1) } }),
    );
    const answers = await Promise.all(calls.map((one) => run.client.request('tool.call.begin', one)));
    expect(answers.map(({ status, data }) => [status, numberAt(data ?? null, 'seq')])).toEqual(
      calls.map((_, at) => ['success', at + 1]),
    );
  });

  it('that no client would write takes many, and what came behind it is decided after it', async () => {
    const world = await start();
    const run = await world.run();
    const { peer, ask } = await signedPeer(world.paths.socket, run.credential);
    const send = peer.send.bind(peer);
    peer.send = (value) => send(JSON.stringify(value).replace('"all":', '"all": '));
    const calls = [300_000, 1, 800_000, 1, 1].map((length) =>
      toolCall({ args: { all: Array.from({ length: length / 2 }, () => 0) } }),
    );
    const answers = await Promise.all(
      calls.map((payload) => ask({ action: 'tool.call.begin', payload: { ...payload } })),
    );
    expect(answers.map((answer) => answer?.['status'])).toEqual(calls.map(() => 'success'));
    const data = answers.map((answer) => answer?.['data'] as JsonObject);
    expect(data.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('that is no JSON ends its connection, and what came behind it is not read', async () => {
    const world = await start();
    const run = await world.run();
    const { peer, ask } = await signedPeer(world.paths.socket, run.credential);
    expect((await ask({ action: 'run.read' }))?.['status']).toBe('success');
    peer.send(`[${'0, '.repeat(200_000)}x]`);
    const behind = ask({ action: 'run.read' });
    expect(await behind).toMatchObject({ status: 'error', error: { code: 'invalid_json' } });
    expect(await peer.next()).toBeUndefined();
  });
});
