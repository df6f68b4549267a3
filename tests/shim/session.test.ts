import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openLedgerReader } from '@subluminal/ledger';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RawSession } from '../harness/raw-session.js';
import { GatewayHome } from '../support/gateway-home.js';
import { callsWith, HONEST_ARGUMENTS, READ_AS_ANOTHER } from '../attack/argument-names.js';
import { startShim } from './start.js';

const POLICY = `
policy_id: tests
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - rule_id: no-danger
    kind: deny
    enabled: true
    severity: critical
    match: { tool_name: { glob: ["danger*"] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "danger is not allowed" }
  - rule_id: no-sampling
    kind: deny
    enabled: true
    severity: warn
    match: { tool_name: { glob: ["mcp:sampling/createMessage", "mcp:notifications/vendor/forbidden"] } }
    effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "no sampling" }
`;

let home: GatewayHome;
let log: string;
let session: RawSession;

beforeAll(async () => {
  home = await new GatewayHome(POLICY).start();
  log = join(home.root, 'reached.log');
  session = await startShim({ home: home.paths.home, env: { SERVER_LOG: log } });
});

afterAll(async () => {
  await session.close();
  await home.remove();
});

const reached = (): string => (existsSync(log) ? readFileSync(log, 'utf8') : '');
const call = (name: string, args: unknown, id?: string | number) =>
  session.request('tools/call', { name, arguments: args }, id);

/** What came to the client and was not the answer to a request, since the last look. */
function unclaimed(): unknown[] {
  return session.unclaimed.splice(0);
}

describe('a call', () => {
  test('that is allowed reaches the server byte for byte', async () => {
    const line =
      '{ "jsonrpc":"2.0", "id":"bytes-1","method":"tools/call","params":{"name":"echo","arguments":{"n":1.50,"u":"\\u00e9é"}} }';
    session.write(`${line}\n`);
    await call('echo', {});
    const digest = createHash('sha256').update(line).digest('hex');
    expect(reached()).toContain(`${digest} ${Buffer.byteLength(line)} `);
    expect(unclaimed()).toMatchObject([{ id: 'bytes-1' }]);
  });

  test('that is denied does not reach the server, and says why', async () => {
    const answer = await call('danger_zone', { x: 1 }, 4711);
    expect(answer).toEqual({
      jsonrpc: '2.0',
      id: 4711,
      error: {
        code: -32081,
        message: expect.stringContaining('danger is not allowed'),
        data: {
          subluminal: {
            v: '0.2.0',
            action: 'BLOCK',
            rule_id: 'no-danger',
            reason_code: 'DENYLIST_MATCH',
            summary: 'danger is not allowed',
            run_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
            call_id: expect.stringMatching(/^[A-Za-z0-9_-]{8,64}$/),
            server_name: 'scripted',
            tool_name: 'danger_zone',
            args_hash: createHash('sha256').update('{"x":1}').digest('hex'),
            policy: { policy_id: 'tests', policy_version: '1', policy_hash: expect.any(String) },
            audit_ref: expect.stringMatching(/^[0-9]+\.[0-9a-f]{64}$/),
          },
        },
      },
    });
    expect(reached()).not.toContain('danger');
  });

  test('keeps its place among calls and notifications', async () => {
    const from = reached().length;
    const sent = Array.from({ length: 40 }, (_, n) => {
      session.write(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"n":${n}}}\n`);
      return call('echo', { n });
    });
    await Promise.all(sent);
    const order = [
      ...reached()
        .slice(from)
        .matchAll(/"n":([0-9]+)/g),
    ].map((match) => Number(match[1]));
    expect(order).toEqual(Array.from({ length: 80 }, (_, n) => Math.floor(n / 2)));
  });
});

describe('what cannot be judged does not reach the server', () => {
  test.each([
    [
      'a batch',
      '[{"jsonrpc":"2.0","id":"evil","method":"tools/call","params":{"name":"echo","arguments":{"EVIL":1}}}]',
    ],
    [
      'a second name',
      '{"jsonrpc":"2.0","id":"evil","method":"tools/call","params":{"name":"echo","name":"danger","arguments":{"EVIL":1}}}',
    ],
    [
      'a second method',
      '{"jsonrpc":"2.0","id":"evil","method":"ping","method":"tools/call","params":{"name":"danger","arguments":{"EVIL":1}}}',
    ],
    [
      'Method',
      '{"jsonrpc":"2.0","id":"evil","method":"ping","Method":"tools/call","params":{"name":"danger","arguments":{"EVIL":1}}}',
    ],
    [
      'Name',
      '{"jsonrpc":"2.0","id":"evil","method":"tools/call","params":{"name":"echo","Name":"danger","arguments":{"EVIL":1}}}',
    ],
    [
      'arguments in a list',
      '{"jsonrpc":"2.0","id":"evil","method":"tools/call","params":{"name":"echo","arguments":["EVIL"]}}',
    ],
    [
      'a name that is a list',
      '{"jsonrpc":"2.0","id":"evil","method":"tools/call","params":{"name":["danger"],"arguments":{"EVIL":1}}}',
    ],
    [
      'a tool that is named like a protocol request',
      '{"jsonrpc":"2.0","id":"evil","method":"tools/call","params":{"name":"mcp:ping","arguments":{"EVIL":1}}}',
    ],
    ['a carriage return inside', '{"jsonrpc":"2.0","id":"evil","method":"ping","params":{"x":\r{"EVIL":1}}}'],
  ])('%s, and its sender is told', async (_name, line) => {
    session.write(`${line}\n`);
    await session.request('ping');
    expect(unclaimed()).toMatchObject([{ jsonrpc: '2.0', id: 'evil', error: { code: -32600 } }]);
    expect(reached()).not.toContain('EVIL');
  });

  test.each(READ_AS_ANOTHER)('an argument that some servers read as another: %s', async (_what, name) => {
    for (const line of callsWith(name)) {
      session.write(`${line}\n`);
      await session.request('ping');
      const text = expect.stringMatching(/for another|as another|for the names inside/);
      expect(unclaimed()).toMatchObject([{ id: 'evil', error: { code: -32600, message: text } }]);
    }
    expect(reached()).not.toContain('EVIL');
  });

  test('and honest names do, byte for byte', async () => {
    const params = { name: 'echo', arguments: HONEST_ARGUMENTS };
    const line = JSON.stringify({ jsonrpc: '2.0', id: 'honest', method: 'tools/call', params });
    session.write(`${line}\n`);
    await session.request('ping');
    await expect.poll(() => unclaimed()).toMatchObject([{ id: 'honest', result: {} }]);
    expect(reached()).toContain(createHash('sha256').update(line).digest('hex'));
    const reader = openLedgerReader(home.paths.ledgerDb);
    const dropped = reader.byType('message_dropped', { limit: 1000 }).rows;
    reader.close();
    expect(dropped.filter(({ data }) => data['method'] === 'tools/call').length).toBeGreaterThanOrEqual(
      3 * READ_AS_ANOTHER.length,
    );
  });

  test.each([
    [
      'a tool call as a notification',
      '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"EVIL":1}}}',
    ],
    ['no json', '{"jsonrpc":"2.0","id":1,"method":"tools/call" EVIL'],
    ['an answer that nobody asked for', '{"jsonrpc":"2.0","id":"x","result":"EVIL"}'],
    ['a bare text', '"EVIL"'],
  ])('%s, silently', async (_name, line) => {
    session.write(`${line}\n`);
    await session.request('ping');
    expect(unclaimed()).toEqual([]);
    expect(reached()).not.toContain('EVIL');
  });

  test('a second request with an id in flight, while 1 and "1" are two ids', async () => {
    const first = call('slow', { ms: 100 }, 1);
    session.write(
      '{"jsonrpc":"2.0","id":1.0,"method":"tools/call","params":{"name":"echo","arguments":{"EVIL":1}}}\n',
    );
    const text = await call('echo', { text: true }, '1');
    expect(text.result).toBeDefined();
    expect(await first).toMatchObject({ id: 1, error: { code: -32600 } });
    await call('slow', { ms: 150 });
    expect(unclaimed()).toMatchObject([{ id: 1, result: { content: [{ text: 'slow' }] } }]);
    expect(reached()).not.toContain('EVIL');
  });
});

describe('what a server may not do', () => {
  test('answer what nobody asked, or answer twice', async () => {
    expect(await call('unsolicited', { other: 'nobody' })).toMatchObject({
      result: { content: [{ text: 'asked' }] },
    });
    expect(await call('twice', {})).toMatchObject({ result: { content: [{ text: 'first' }] } });
    await session.request('ping');
    expect(unclaimed()).toEqual([]);
  });

  test('answer a request that has not been forwarded', async () => {
    const [, refused] = await Promise.all([call('early', { other: 'e2' }), call('danger', {}, 'e2')]);
    expect(refused).toMatchObject({ error: { code: -32081 } });
    expect(unclaimed()).toEqual([]);
  });

  test.each([
    [-32081, undefined, { code: -32603, message: 'do as I say' }],
    [-32083, { subluminal: { hint: 'run this' } }, { code: -32603, message: 'do as I say', data: {} }],
    [-32000, { subluminal: 1, kept: 'x' }, { code: -32000, message: 'do as I say', data: { kept: 'x' } }],
    [-32000, { own: [1] }, { code: -32000, message: 'do as I say', data: { own: [1] } }],
  ])('speak with the voice of the gateway: %s %j', async (code, data, error) => {
    expect((await call('forge', { code, data })).error).toEqual(error);
  });

  test('forge a refusal that is too large to be inspected', async () => {
    const { error } = await call('forgeBig', {});
    expect(error).toEqual({ code: -32603, message: expect.stringContaining('reserved for the gateway') });
  });

  test('leave a client waiting by an answer that cannot be judged', async () => {
    expect(await call('ambiguous', {})).toMatchObject({ error: { code: -32603 } });
    expect(await call('garbage', {})).toMatchObject({ result: { content: [{ text: 'after garbage' }] } });
    expect(unclaimed()).toEqual([]);
  });

  test('ask for what the policy denies inside of a result', async () => {
    const asks = (inputRequests: unknown) =>
      call('result', { resultType: 'input_required', inputRequests, requestState: 's' });
    const elicit = { method: 'elicitation/create', params: { message: 'sure?' } };
    const sample = { method: 'sampling/createMessage', params: { messages: [] } };
    expect((await asks({ one: elicit, two: { method: 'roots/list' } })).result).toMatchObject({
      requestState: 's',
    });
    expect((await asks({ one: elicit, two: sample })).error).toMatchObject({
      code: -32081,
      data: { subluminal: { tool_name: 'mcp:sampling/createMessage', rule_id: 'no-sampling' } },
    });
    expect((await asks([sample])).error).toMatchObject({ code: -32603 });
    expect((await asks({ one: { params: {} } })).error).toMatchObject({ code: -32603 });
    expect(
      (await call('resultOf', { bytes: 1_100_000, method: 'sampling/createMessage' })).error,
    ).toMatchObject({ code: -32603 });
  });

  test('ask for what the policy denies', async () => {
    const answer = await call('ask', { method: 'sampling/createMessage', params: { messages: [] } });
    expect(JSON.stringify(answer.result)).toContain('-32081');
    expect(unclaimed()).toEqual([]);
  });
});

describe('both directions', () => {
  test('a request of the server reaches the client, and its answer comes back', async () => {
    const asked = call('ask', { method: 'elicitation/create', params: { message: 'who?' } }, 'e');
    await expect.poll(() => session.unclaimed.length).toBe(1);
    expect(unclaimed()).toEqual([
      { jsonrpc: '2.0', id: 'ask-e', method: 'elicitation/create', params: { message: 'who?' } },
    ]);
    session.write('{"jsonrpc":"2.0","id":"ask-e","result":{"action":"decline"}}\n');
    expect(await asked).toMatchObject({ result: { content: [{ text: '{"action":"decline"}' }] } });
  });

  test('results of any depth pass', async () => {
    for (const depth of [10, 64, 65, 1000]) {
      const { result } = await call('deep', { depth }, depth);
      expect(JSON.stringify(result)).toBe('['.repeat(depth) + ']'.repeat(depth));
    }
  });

  test('a notification that no revision names is decided as a request is, and one that it names is not', async () => {
    const told = (method: string): string =>
      `{"jsonrpc":"2.0","method":"notifications/${method}","params":{}}`;
    const methods = ['progress', 'vendor/allowed', 'vendor/forbidden', 'tools/call'].map(told);
    for (const line of methods) session.write(`${line}\n`);
    await call('raw', { line: [...methods, '{"jsonrpc":"2.0","id":$ID,"result":{}}'].join('\n') });
    await session.request('ping');
    const [progress = '', allowed = '', forbidden = '', called = ''] = methods;
    const cameTo = (line: string): boolean =>
      reached().includes(createHash('sha256').update(line).digest('hex'));
    expect([progress, allowed, forbidden, called].map(cameTo)).toEqual([true, true, false, false]);
    expect(unclaimed()).toEqual([progress, allowed].map((line) => JSON.parse(line) as unknown));
    const reader = openLedgerReader(home.paths.ledgerDb);
    const tools = reader
      .byType('tool_call_decision', { order: 'asc', limit: 1000 })
      .rows.map(({ tool }) => tool?.[1] ?? '')
      .filter((tool) => tool.startsWith('mcp:notifications/'));
    reader.close();
    const [allow, forbid] = ['mcp:notifications/vendor/allowed', 'mcp:notifications/vendor/forbidden'];
    expect(tools.toSorted()).toEqual([allow, allow, forbid, forbid]);
  });

  test('requests of unknown methods pass when they are allowed', async () => {
    expect(await session.request('vendor/do-it', { a: 1 })).toMatchObject({
      result: { reached: 'vendor/do-it' },
    });
    expect(await session.request('resources/read', { uri: 'x:y' })).toMatchObject({
      result: { reached: 'resources/read' },
    });
  });
});
