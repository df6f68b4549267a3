import {
  type ActionResponse,
  canonicalize,
  encodeFrame,
  isSublError,
  pushMac,
  requestMac,
  responseMac,
  type SessionKeys,
} from '@subluminal/core-types';
import { Connection } from '../../../packages/ipc/dist/client/connection.js';
import { chunks, promise, type Target } from '../engine/target.js';
import { fixedSession, LEDGER_ID, Line, NOW, SPEAKS } from './session.js';

const own = fixedSession('run-of-the-honest');
const others = fixedSession('run-of-another');
const timestamp = new Date(NOW).toISOString();
const ids = ['request-0001', 'request-0002'] as const;
const PAYLOAD = { tool_name: 'danger' };
const macOf = (keys: SessionKeys, seq: number, id: string): string =>
  requestMac(keys.c2s, {
    seq,
    id,
    timestamp,
    action: 'tool.call.begin',
    payload: { ...PAYLOAD, speaks: SPEAKS },
  });

const ALLOW = { decision: { action: 'ALLOW' } };
const BLOCK = { decision: { action: 'BLOCK' } };

/** An answer as a gateway with these keys signs it, for a place and a request. */
function answer(keys: SessionKeys, seq: number, which: 0 | 1, data: object): Record<string, unknown> {
  const requestId = ids[which];
  const fields = { requestId, timestamp, status: 'success', auditRef: '7.ab' };
  const asked = macOf(keys, which + 1, requestId);
  return { ...fields, data, signature: responseMac(keys.s2c, { ...fields, seq, requestMac: asked, data }) };
}

function push(keys: SessionKeys, seq: number, event: object): Record<string, unknown> {
  return { event, signature: pushMac(keys.s2c, { seq, body: { event } }) };
}

/** What the gateway of this session says, in this order and no other. */
const stream = [
  answer(own.keys, 1, 0, BLOCK),
  push(own.keys, 2, { type: 'run_ended' }),
  answer(own.keys, 3, 1, BLOCK),
];
/**
 * What it never says here: signed for another place, request or session, by the other side, or not at all.
 */
const forgeries = [
  answer(own.keys, 2, 0, ALLOW),
  answer(own.keys, 3, 0, ALLOW),
  answer(others.keys, 1, 0, ALLOW),
  answer(others.keys, 1, 1, ALLOW),
  push(others.keys, 2, { type: 'allowed' }),
  { ...stream[0], data: ALLOW },
  { ...stream[2], data: ALLOW },
  { ...answer(own.keys, 1, 0, BLOCK), requestId: ids[1] },
  { ...answer(own.keys, 1, 0, ALLOW), signature: macOf(own.keys, 1, ids[0]) },
  { requestId: ids[0], timestamp, status: 'success', auditRef: '', data: ALLOW, signature: '' },
  { error: { code: 'handshake_refused', message: 'no' } },
];
const frame = (value: object): Buffer => encodeFrame(JSON.stringify(value));
const heard = (answered: ActionResponse): string => {
  const { signature: _, ...rest } = answered;
  return canonicalize(rest);
};
const expected = [stream[0], stream[2]].map((said) => heard(said as unknown as ActionResponse));

/**
 * Answers and pushes at the client: nothing is believed but what the gateway signed for this place and this
 * request.
 */
export const answers: Target = {
  name: 'answers',
  seeds: [
    Buffer.concat(stream.map(frame)),
    ...forgeries.map(frame),
    ...forgeries.map((forged) => Buffer.concat([frame(stream[0] ?? {}), frame(forged)])),
    ...forgeries.map((forged) => Buffer.concat([...stream.slice(0, 2).map(frame), frame(forged)])),
  ],
  words: [
    '"action":"ALLOW"',
    '"BLOCK"',
    '"ALLOW"',
    '"status":"success"',
    '"error":{',
    '"data":{',
    '"event":{',
    '{',
    '}',
    ',',
    '"',

    ...ids,
    '\0\0\0\u0001',
    '1.0',
    '\\u0041LLOW',
    'null',
    ...stream.map(({ signature }) => String(signature)),
  ],
  maxBytes: 4096,
  async run(input, random) {
    const line = new Line();
    const events: string[] = [];
    const connection = new Connection({
      socket: line.socket,
      keys: own.keys,
      ledgerId: LEDGER_ID,
      source: own.credential.id,
      clock: () => NOW,
      monotonic: () => performance.now(),
      proof: Buffer.alloc(0),
      speaks: SPEAKS,
      nextId: () => 'request-9999',
      onPush: (event) => events.push(canonicalize(event)),
    });
    const asking = ids.map((id) =>
      connection.request('tool.call.begin', PAYLOAD, { id }).then(heard, (error: unknown) => {
        promise(isSublError(error, 'gateway_unreachable', 'handshake_refused'), `it throws ${String(error)}`);
        return undefined;
      }),
    );
    for (const chunk of chunks(input, random)) line.hear(chunk);
    connection.close();
    const [first, second] = await Promise.all(asking);
    promise(first === undefined || first === expected[0], 'the first answer is the one that was signed');
    promise(second === undefined || second === expected[1], 'the second answer is the one that was signed');
    promise(
      events.every((event) => event === '{"type":"run_ended"}') && events.length <= 1,
      'a push is one that was signed',
    );
    promise(
      second === undefined || (first !== undefined && events.length === 1),
      'nothing is heard out of its order',
    );
    return second !== undefined;
  },
};
