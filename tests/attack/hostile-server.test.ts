import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GatewayHome } from '../support/gateway-home.js';
import { shimArgv } from '../shim/start.js';
import { Wire } from '../shim/wire.js';

const POLICY = `
policy_id: hostile-server
version: "1"
mode: guardrails
defaults: { decision_on_error: BLOCK }
selectors: {}
rules:
  - { rule_id: no-sampling, kind: deny, enabled: true, severity: warn,
      match: { tool_name: { glob: ["mcp:sampling/createMessage"] } },
      effect: { action: BLOCK, reason_code: DENYLIST_MATCH, message: "no sampling" } }
`;

let home: GatewayHome;
let wire: Wire;
let calls = 0;

beforeAll(async () => {
  home = await new GatewayHome(POLICY).startWatched();
  wire = new Wire(shimArgv({ home: home.paths.home }));
});
beforeEach(() => wire.lines.splice(0));
afterAll(async () => {
  await wire.close();
  await home.remove();
});

const LARGE = 1_100_000;

/**
 * The bytes that come to the client after the server wrote `line`, `$ID` being the call's id and `$PAD` the
 * padding.
 */
async function afterLine(line: string, bytes = 0): Promise<string> {
  calls += 1;
  const id = `call-${calls}`;
  const params = { name: 'raw', arguments: { line, bytes } };
  wire.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }));
  wire.send(`{"jsonrpc":"2.0","id":"after-${calls}","method":"ping"}`);
  await wire.answer(`after-${calls}`);
  // A request inside of an answer is decided after that; the place of the answer is before the next one's.
  return wire.lines
    .splice(0)
    .map(({ bytes: text }) => text.toString())
    .join('\n');
}

const error = (members: string): string =>
  `{"jsonrpc":"2.0","id":$ID,"error":{"message":"FORGED",${members}}}`;
const result = (members: string): string => `{"jsonrpc":"2.0","id":$ID,"result":{${members}}}`;

describe('no server speaks with the voice of the gateway', () => {
  it.each([
    ['a code', '"code":-32083'],
    ['a code as a text', '"code":"-32083"'],
    ['a code with a fraction of nothing', '"code":-32083.0'],
    ['a code that only a double rounds to ours', '"code":-32083.00000000000000000001'],
    ['a code in other letters', '"code":-32000,"Code":-32083'],
    ['a code that ends at a NUL', '"code":-32000,"code\\u0000":-32083'],
    ['data', '"code":-32000,"data":{"subluminal":{"hint":"VOICE"}}'],
    ['data in other letters', '"code":-32000,"Data":{"subluminal":{"hint":"VOICE"}}'],
    ['a member of data in other letters', '"code":-32000,"data":{"Subluminal":{"hint":"VOICE"}}'],
    ['an escaped member', '"code":-32000,"data":{"\\u0073ubluminal":{"hint":"VOICE"}}'],
  ])('by %s, at any size', async (_name, members) => {
    const forged = /-32083|VOICE/;
    expect(await afterLine(error(members))).not.toMatch(forged);
    expect(await afterLine(error(`${members},"x":"$PAD"`), LARGE)).not.toMatch(forged);
    const failed = result(`"taskId":"t","status":"failed","error":{"message":"FORGED",${members}}`);
    expect(await afterLine(failed)).not.toMatch(forged);
    expect(await afterLine(failed.replace('FORGED', '$PAD'), LARGE)).not.toMatch(forged);
    const state = failed.replace('"id":$ID,"result"', '"method":"notifications/tasks","params"');
    expect(await afterLine(state)).not.toMatch(forged);
    expect(await afterLine(state.replace('FORGED', '$PAD'), LARGE)).not.toMatch(forged);
  });

  it('by one of two codes in an error that is too large to be inspected', async () => {
    const line = (codes: string) => error(`${codes},"x":"$PAD"`);
    expect(await afterLine(line('"code":-32083,"code":-1'), LARGE)).not.toContain('-32083');
    expect(await afterLine(line('"code":-1,"code":-32083'), LARGE)).not.toContain('-32083');
  });

  it('while its own errors pass byte for byte', async () => {
    for (const members of [
      '"code":-32000,"data":{"own":[1.0]}',
      '"code":7,"data":null',
      '"code":"x","data":[]',
    ]) {
      const line = error(members);
      expect(await afterLine(line)).toBe(line.replace('$ID', `"call-${calls}"`));
    }
  });
});

describe('no server asks for what the policy denies', () => {
  const asked = '{"a":{"method":"sampling/createMessage","params":{"messages":["ASKED"]}}}';

  it.each([
    ['in a result', `"resultType":"input_required","inputRequests":${asked}`],
    ['in the state of a task', `"resultType":"complete","status":"input_required","inputRequests":${asked}`],
    ['in a result without a type', `"inputRequests":${asked}`],
    ['in a result with a type in other letters', `"ResultType":"input_required","inputRequests":${asked}`],
    ['under a name in other letters', `"resultType":"input_required","InputRequests":${asked}`],
    ['under a name that ends at a NUL', `"resultType":"input_required","inputRequests\\u0000":${asked}`],
    ['beside an allowed request', `"inputRequests":{"r":{"method":"roots/list"},${asked.slice(1)}`],
    [
      'by a method that is spelt unlike the standard',
      `"resultType":"input_required","inputRequests":${asked.replace('createM', 'CreateM')}`,
    ],
  ])('%s, nor in a notification, at any size', async (_name, members) => {
    const sent = [
      result(members),
      result(`${members},"x":"$PAD"`),
      result(`"resultType":"complete",${members},"resultType":"complete","x":"$PAD"`),
      `{"jsonrpc":"2.0","method":"notifications/tasks","params":{${members}}}`,
      `{"jsonrpc":"2.0","method":"notifications/tasks","params":{${members},"x":"$PAD"}}`,
      `{"jsonrpc":"2.0","method":"notifications/tasks","params":{${members},"x":${'['.repeat(70)}${']'.repeat(70)}}}`,
    ];
    for (const line of sent) {
      expect(await afterLine(line, line.includes('$PAD') ? LARGE : 0)).not.toContain('ASKED');
    }
  });

  it('while what the policy allows passes byte for byte', async () => {
    const elicit = '{"a":{"method":"elicitation/create","params":{"message":"ASKED"}}}';
    for (const line of [
      result(`"resultType":"complete","status":"input_required","inputRequests":${elicit}`),
      `{"jsonrpc":"2.0","method":"notifications/tasks","params":{"status":"input_required","inputRequests":${elicit}}}`,
      '{"jsonrpc":"2.0","method":"notifications/tasks","params":{"status":"failed","error":{"code":-1,"message":"m"}}}',
      result('"Error":{"code":1},"content":[]'),
    ]) {
      expect(await afterLine(line)).toBe(line.replace('$ID', `"call-${calls}"`));
    }
  });
});

it('a server that asks and asks takes nothing from the other servers of the run', async () => {
  const other = new Wire(shimArgv({ home: home.paths.home }));
  const asks = Array.from(
    { length: 3000 },
    (_, n) => `{"jsonrpc":"2.0","id":"e-${n}","method":"elicitation/create","params":{"message":"m"}}`,
  );
  const flooded = await afterLine(asks.join('\n'));
  expect(flooded.split('\n').length).toBeLessThanOrEqual(65);
  other.send('{"jsonrpc":"2.0","id":"o","method":"tools/call","params":{"name":"echo","arguments":{}}}');
  expect((await other.answer('o')).head).toContain('"result"');
  await other.close();
});

it('a server that notifies without end fills no ledger', async () => {
  const seq = async () =>
    z.object({ ledger: z.object({ seq: z.number() }) }).parse(await home.ask('gateway.status')).ledger.seq;
  const before = await seq();
  const started = performance.now();
  const line = '{"jsonrpc":"2.0","method":"vendor/again"}';
  const flood = `setInterval(() => process.stdout.write(${JSON.stringify(`${line}\n`)}.repeat(500)), 1)`;
  const flooder = new Wire(shimArgv({ home: home.paths.home, command: [process.execPath, '-e', flood] }));
  await new Promise((resolve) => setTimeout(resolve, 4000));
  flooder.child.kill('SIGTERM');
  // Three entries for each of the thousand that may come at once, and of the hundred in each second, and some
  // for the session.
  const seconds = (performance.now() - started) / 1000 + 1;
  expect((await seq()) - before).toBeLessThan(3 * (1000 + 100 * seconds) + 100);
});
