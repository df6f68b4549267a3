import { describe, expect, it } from 'vitest';
import { between } from '../gateway/between.js';
import { dataOf, type TestGateway } from '../gateway/harness.js';
import { connect, end, gatewayFor, netRows, outcomeOf, seqOf, startWith, type Names } from './connections.js';

const PUBLIC = '93.184.216.34';

/** One gateway, and what it says to each of these, in their order. */
async function verdicts(
  world: TestGateway,
  asked: readonly (readonly [host: string, port: number, via?: string])[],
): Promise<string[]> {
  const asker = gatewayFor(world, await world.run());
  const found: string[] = [];
  for (const [host, port, via = 'connect'] of asked)
    found.push(outcomeOf(await connect(asker, host, port, { via })));
  return found;
}

describe('a connection through the proxy', () => {
  it('to an allowed name is recorded before it may be dialled, with name, port and addresses, and ends once', async () => {
    const world = await startWith({ 'api.example.com': [PUBLIC, '2606:4700::1'] });
    const operator = await world.operator();
    await operator.request('allow.add', { host: 'api.example.com', port: 443 });
    const run = await world.run();
    const proxy = gatewayFor(world, run);
    const more = { server_name: 'issues', shim_id: 'shim-1' };
    const answer = await connect(proxy, 'API.example.com.', 443, more);
    expect(dataOf(answer)).toEqual({
      seq: seqOf(answer),
      host: 'api.example.com',
      port: 443,
      addresses: [PUBLIC, '2606:4700::1'],
      allow_private: false,
      generation: expect.any(Number),
      tls: true,
      plain: true,
      raw: false,
      listed: true,
      inspected: false,
      bytes_left: null,
    });
    expect(answer.auditRef).toMatch(new RegExp(`^${seqOf(answer)}\\.`));
    const ended = await end(proxy, seqOf(answer), { sni: 'api.example.com', address: PUBLIC });
    expect(ended.status).toBe('success');
    const [anomaly, pending, result] = netRows(world);
    expect([anomaly?.type, anomaly?.code, anomaly?.data['kind']]).toEqual(['anomaly', null, 'new_domain']);
    expect(pending?.data).toMatchObject({
      source: run.id,
      destination: 'tcp://api.example.com:443',
      addresses: [PUBLIC, '2606:4700::1'],
      facts: {
        host: 'API.example.com.',
        port: 443,
        via: 'connect',
        server_name: 'issues',
        shim_id: 'shim-1',
        listed: true,
      },
    });
    expect([result?.type, result?.code, result?.ref, result?.tool]).toEqual([
      'action_result',
      'success',
      pending?.seq,
      'net.connect',
    ]);
    expect(result?.data).toMatchObject({
      outcome: 'closed',
      sni: 'api.example.com',
      address: PUBLIC,
      bytes_up: 10,
      bytes_down: 20,
      latency_ms: 5,
    });
    expect(outcomeOf(await end(proxy, seqOf(answer)))).toBe('not_found');
    expect(outcomeOf(await connect(operator, 'api.example.com'))).toBe('not_permitted');
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });

  it('is refused by every spelling of what an entry does not name, where the allowlist is enforced, and recorded with name, port and address', async () => {
    const names: Names = {
      'api.example.com': [PUBLIC],
      'inside.example.com': ['10.0.0.5'],
      'mixed.example.com': [PUBLIC, '127.0.0.1'],
      'nat.example.com': ['64:ff9b::a9fe:a9fe'],
      'mapped.example.com': ['::ffff:169.254.169.254'],
      'cloud.example.com': ['169.254.169.254'],
      localhost: ['127.0.0.1'],
    };
    const refused = [
      ['inside.example.com', 443, 'address_refused'],
      ['mixed.example.com', 443, 'address_refused'],
      ['nat.example.com', 443, 'address_refused'],
      ['mapped.example.com', 443, 'address_refused'],
      ['cloud.example.com', 80, 'address_refused'],
      ['localhost', 80, 'address_refused'],
      [PUBLIC, 443, 'not_allowed'],
      ['169.254.169.254', 80, 'not_allowed'],
      ['0x7f.1', 80, 'not_allowed'],
      ['2130706433', 80, 'not_allowed'],
      ['017700000001', 80, 'not_allowed'],
      ['127.1', 80, 'not_allowed'],
      ['[::1]', 80, 'not_allowed'],
      ['::ffff:169.254.169.254', 80, 'not_allowed'],
      ['[[api.example.com]]', 443, 'invalid_request'],
      ['api.example.com:443@evil.example', 443, 'invalid_request'],
      ['evil.example\u0000.api.example.com', 443, 'invalid_request'],
      ['api.example%2ecom', 443, 'invalid_request'],
      ['api.example.com/x', 443, 'invalid_request'],
      ['api..example.com', 443, 'invalid_request'],
      ['gone.example.com', 443, 'resolve_failed'],
    ] as const;
    const world = await startWith(names, 'mode = "enforce"');
    const operator = await world.operator();
    for (const host of Object.keys(names)) await operator.request('allow.add', { host });
    await operator.request('allow.add', { host: 'gone.example.com' });
    const asked = refused.map(([host, port]) => [host, port] as const);
    expect(await verdicts(world, asked)).toEqual(refused.map(([, , code]) => code));
    const recorded = world.rows('action_rejected').map(({ data }) => data);
    expect(recorded.map(({ facts }) => facts)).toEqual(
      refused.map(([host, port]) => expect.objectContaining({ host, port, via: 'connect' })),
    );
    expect(recorded.find(({ destination }) => destination === 'tcp://inside.example.com:443')).toMatchObject({
      facts: { address: '10.0.0.5' },
      error: { code: 'address_refused' },
      stage: 'allowlist',
    });
    expect(netRows(world).filter(({ type }) => type === 'action_pending')).toEqual([]);
  });

  it('to a name that is not listed passes and is recorded as unlisted, or is refused, as the mode says', async () => {
    const names: Names = { 'api.example.com': [PUBLIC], 'other.example.com': [PUBLIC] };
    const observing = await startWith(names);
    const run = gatewayFor(observing, await observing.run());
    const answer = await connect(run, 'other.example.com');
    expect(dataOf(answer)).toMatchObject({ listed: false, raw: true, allow_private: false });
    expect(observing.rows('action_pending').at(-1)?.data).toMatchObject({ facts: { listed: false } });
    const plain = await connect(run, 'other.example.com', 80, { via: 'http' });
    expect(dataOf(plain)).toMatchObject({ listed: false, raw: false });

    const enforcing = await startWith(names, 'mode = "enforce"');
    await (await enforcing.operator()).request('allow.add', { host: 'api.example.com', port: 443 });
    expect(
      await verdicts(enforcing, [
        ['api.example.com', 443],
        ['api.example.com', 80, 'http'],
        ['api.example.com', 8443],
        ['other.example.com', 443],
        ['evil-api.example.com', 443],
        ['api.example.com.other.example.com', 443],
      ]),
    ).toEqual(['ok', 'not_allowed', 'not_allowed', 'not_allowed', 'not_allowed', 'not_allowed']);

    const off = await startWith(names, 'mode = "off"');
    expect(await verdicts(off, [['api.example.com', 443]])).toEqual(['not_available']);
  });

  it('may carry something else than TLS where an entry says `tcp`, and goes to private places where one says so', async () => {
    const world = await startWith(
      { 'git.example.com': [PUBLIC], 'db.example.com': ['10.0.0.5'], 'web.example.com': [PUBLIC] },
      'mode = "enforce"',
    );
    const operator = await world.operator();
    const add = (entry: Record<string, unknown>) => operator.request('allow.add', entry);
    await add({ host: 'git.example.com', port: 22, protocol: 'tcp' });
    await add({ host: 'git.example.com', protocol: 'https' });
    await add({ host: 'db.example.com', port: 5432, allow_private: true });
    await add({ host: 'db.example.com', port: 5432, protocol: 'tcp' });
    await add({ host: 'web.example.com', protocol: 'http' });
    await add({ host: '10.1.2.3', port: 443, allow_private: true });
    const client = gatewayFor(world, await world.run());
    const terms = async (host: string, port: number, via = 'socks5') => {
      const answer = await connect(client, host, port, { via });
      if (answer.status !== 'success') return outcomeOf(answer);
      const { allow_private: isPrivate, ...may } = dataOf(answer);
      const things = ['tls', 'plain', 'raw'].filter((one) => may[one] === true);
      return [...things, ...(isPrivate === true ? ['private'] : [])].join(' ');
    };
    expect(await terms('git.example.com', 22)).toBe('tls plain raw');
    expect(await terms('git.example.com', 22, 'http')).toBe('plain');
    expect(await terms('git.example.com', 443)).toBe('tls');
    // The entry for `tcp` does not allow private places, so nothing but what the other covers goes to one.
    expect(await terms('db.example.com', 5432)).toBe('tls plain private');
    expect(await terms('web.example.com', 80)).toBe('plain');
    expect(await terms('web.example.com', 80, 'http')).toBe('plain');
    expect(await terms('10.1.2.3', 443)).toBe('tls plain private');
    expect(await terms('10.1.2.3', 80)).toBe('not_allowed');
  });

  it('is decided on the addresses of its own resolution: a name that changes is judged anew', async () => {
    const names: Names = { 'api.example.com': [PUBLIC] };
    const world = await startWith(names);
    const run = gatewayFor(world, await world.run());
    expect(dataOf(await connect(run, 'api.example.com'))).toMatchObject({ addresses: [PUBLIC] });
    names['api.example.com'] = ['169.254.169.254'];
    expect(outcomeOf(await connect(run, 'api.example.com'))).toBe('address_refused');
  });

  it('never leads to the gateway’s own doors, whatever the allowlist says', async () => {
    const world = await startWith({ 'self.example.com': ['127.0.0.1'], localhost: ['127.0.0.1', '::1'] });
    const operator = await world.operator();
    const { port } = dataOf(await operator.request('http.listen', {})) as { port: number };
    for (const host of ['self.example.com', 'localhost', '127.0.0.1', '127.0.0.2', '::1'])
      await operator.request('allow.add', { host, allow_private: true });
    const doors = ['self.example.com', 'localhost', '127.0.0.1', '127.0.0.2', '0x7f.1', '[::1]', '::1'];
    expect(
      await verdicts(
        world,
        doors.map((host) => [host, port] as const),
      ),
    ).toEqual(doors.map(() => 'address_refused'));
    const call = { service: 'x', endpoint: `http://127.0.0.1:${port}/`, method: 'GET' };
    expect(outcomeOf(await operator.request('service.api_call', call))).toBe('address_refused');
    expect(await verdicts(world, [['127.0.0.1', port === 65_535 ? 65_534 : port + 1]])).toEqual(['ok']);
  });
});

describe('the key of a run', () => {
  it('asks for no connection and ends none: what the gateway carries is its own account, and is counted', async () => {
    const world = await startWith({ 'api.example.com': [PUBLIC] }, 'max_run_bytes = 1000');
    const run = await world.run();
    const proxy = gatewayFor(world, run);
    const opened = await connect(proxy, 'api.example.com');
    const seq = seqOf(opened);
    const operator = await world.operator();
    const reach = { shim_id: 's', server_name: 'fs', upstream: 'https://api.example.com/mcp' };
    const forged = [
      await end(run.client, seq, { bytes_up: 0, bytes_down: 0, ms: 1 }),
      await connect(run.client, 'api.example.com'),
      await run.client.request('http.reach', reach),
      await end(operator, seq),
      await connect(operator, 'api.example.com'),
      await operator.request('http.reach', reach),
    ];
    expect(forged.map(outcomeOf)).toEqual(forged.map(() => 'not_permitted'));
    expect(
      world.rows('action_rejected').map(({ tool, runId, data }) => [tool, runId, data['stage']]),
    ).toEqual([
      ['net.end', run.id, 'signature'],
      ['net.connect', run.id, 'signature'],
      ['http.reach', run.id, 'signature'],
      ['net.end', null, 'signature'],
      ['net.connect', null, 'signature'],
      ['http.reach', null, 'signature'],
    ]);
    expect(world.rows('action_result')).toEqual([]);
    expect(outcomeOf(await end(proxy, seq, { bytes_up: 400, bytes_down: 600 }))).toBe('ok');
    const [result] = world.rows('action_result');
    expect([result?.ref, result?.data['bytes_up'], result?.data['bytes_down']]).toEqual([seq, 400, 600]);
    expect(outcomeOf(await connect(proxy, 'api.example.com'))).toBe('budget_spent');
  });
});

describe('the end of a connection', () => {
  it('is taken once, of the run that opened it, and says why it was refused or cut', async () => {
    const world = await startWith({ 'api.example.com': [PUBLIC] });
    const [one, other] = [gatewayFor(world, await world.run()), gatewayFor(world, await world.run())];
    const seq = seqOf(await connect(one, 'api.example.com'));
    expect(outcomeOf(await end(other, seq))).toBe('not_found');
    expect(outcomeOf(await end(one, seq + 1))).toBe('not_found');
    const both = await Promise.all([
      end(one, seq, { outcome: 'refused', code: 'name_mismatch', sni: 'evil.example', detail: 'no' }),
      end(one, seq),
    ]);
    expect(both.map(outcomeOf).toSorted()).toEqual(['not_found', 'ok']);
    const [result] = world.rows('action_result').filter(({ ref }) => ref === seq);
    expect(result?.data).toMatchObject({
      status: 'error',
      outcome: 'refused',
      error: { code: 'name_mismatch', message: 'no' },
      sni: 'evil.example',
    });
    expect(world.rows('action_rejected').map(({ tool, data }) => [tool, data['stage']])).toEqual([
      ['net.end', 'execute'],
      ['net.end', 'execute'],
      ['net.end', 'execute'],
    ]);
  });

  it('comes with that of its run, with the stop of everything, and with the next start of the gateway', async () => {
    const world = await startWith({ 'api.example.com': [PUBLIC] });
    const [one, other] = [await world.run(), await world.run()];
    const first = seqOf(await connect(gatewayFor(world, one), 'api.example.com'));
    await one.client.request('run.end', { status: 'SUCCEEDED' });
    const second = seqOf(await connect(gatewayFor(world, other), 'api.example.com'));
    await world.restart();
    const back = gatewayFor(world, other);
    expect(outcomeOf(await end(back, second))).toBe('not_found');
    const third = seqOf(await connect(back, 'api.example.com'));
    const operator = await world.operator();
    await operator.request('panic.begin', { reason: 'stop' });
    const ends = world.rows('action_result').filter(({ ref }) => [first, second, third].includes(ref ?? 0));
    expect(ends.map(({ ref, data }) => [ref, data['error']])).toEqual(
      [first, second, third].map((seq) => [seq, expect.objectContaining({ code: 'interrupted' })]),
    );
    await world.gateway.stop('test');
    expect(await world.verify()).toBe('ok');
  });
});

describe('what a run has of the network', () => {
  it('is limited by the minute, by what is open and by what was carried, and a restart refills none of it', async () => {
    let now = Date.now();
    const egress = 'connections_per_minute = 4\nmax_run_connections = 2\nmax_run_bytes = 100';
    const world = await startWith({ 'api.example.com': [PUBLIC] }, egress, { clock: () => now });
    const run = await world.run();
    const proxy = gatewayFor(world, run);
    const open = async (asker = proxy) => connect(asker, 'api.example.com');
    const first = await open();
    expect(dataOf(first)).toMatchObject({ bytes_left: 100 });
    await open();
    expect((await open()).error).toMatchObject({ code: 'rate_limited', details: { scope: 'open' } });
    await end(proxy, seqOf(first), { bytes_up: 40, bytes_down: 20 });
    const third = await open();
    expect(dataOf(third)).toMatchObject({ bytes_left: 40 });
    await end(proxy, seqOf(third), { bytes_up: 0, bytes_down: 0 });
    await world.restart();
    const back = gatewayFor(world, run);
    const fourth = await open(back);
    expect(dataOf(fourth)).toMatchObject({ bytes_left: 40 });
    const paced = await open(back);
    expect([paced.status, paced.error?.code, paced.error?.details?.['scope']]).toEqual([
      'rate_limited',
      'rate_limited',
      'minute',
    ]);
    now += 61_000;
    await end(back, seqOf(fourth), { bytes_up: 0, bytes_down: 40 });
    expect(outcomeOf(await open(back))).toBe('budget_spent');
    expect(outcomeOf(await open(gatewayFor(world, await world.run())))).toBe('ok');
    const refusals = world.rows('action_rejected').map(({ code, data }) => [code, data['stage']]);
    expect(refusals).toEqual([
      ['rate_limited', 'rate-limit'],
      ['rate_limited', 'rate-limit'],
      ['rejected', 'rate-limit'],
    ]);
  });

  it('begins again at the allowlist where that changes before the answer: on the same addresses, or closed as refused', async () => {
    let change: (() => Promise<unknown>) | undefined;
    const names: Names = { 'api.example.com': [PUBLIC] };
    const world = await startWith(names, 'mode = "enforce"', {
      wrapLedger: between(async (group, next) => {
        const result = await next();
        const once = group.entries.at(-1)?.tool === 'net.connect' ? change : undefined;
        change = once === undefined ? change : undefined;
        await once?.();
        return result;
      }),
    });
    const operator = await world.operator();
    const added = dataOf(await operator.request('allow.add', { host: 'api.example.com' }));
    const { id } = added['entry'] as { id: string };
    const run = gatewayFor(world, await world.run());
    change = () => {
      names['api.example.com'] = ['127.0.0.1'];
      return operator.request('allow.add', { host: 'other.example.com' });
    };
    const kept = await connect(run, 'api.example.com');
    expect(dataOf(kept)).toMatchObject({ addresses: [PUBLIC] });
    names['api.example.com'] = [PUBLIC];
    change = () => operator.request('allow.remove', { id });
    expect(outcomeOf(await connect(run, 'api.example.com'))).toBe('not_allowed');
    const pendings = netRows(world).filter(({ type }) => type === 'action_pending');
    const ends = pendings.map(({ seq }) => world.rows('action_result').find(({ ref }) => ref === seq));
    expect(ends.map((row) => row?.data['error'])).toEqual([
      undefined,
      expect.objectContaining({ code: 'not_allowed' }),
    ]);
  });
});
