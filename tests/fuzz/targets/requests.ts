import { canonicalize, isSublError, parseJson, signRequest } from '@subluminal/core-types';
import { Call } from '../../../packages/gateway/dist/pipeline/call.js';
import { FrameStream } from '../../../packages/gateway/dist/pipeline/frame-stream.js';
import { schemaStage } from '../../../packages/gateway/dist/pipeline/schema.js';
import { signatureStage } from '../../../packages/gateway/dist/pipeline/signature.js';
import { promise, type Target } from '../engine/target.js';
import { fixedSession, NOW, SPEAKS } from './session.js';

const { keys } = fixedSession('operator-session');
const others = fixedSession('another-session').keys;
const timestamp = new Date(NOW).toISOString();
const base = {
  id: 'request-0001',
  timestamp,
  action: 'allow.list',
  payload: { speaks: SPEAKS },
  source: 'operator',
};
const wide = { ...base, action: 'allow.add', payload: { host: 'example.org', port: 443, speaks: SPEAKS } };

const stages = [schemaStage(SPEAKS), signatureStage];
const genuine = [signRequest(keys.c2s, 1, base), signRequest(keys.c2s, 1, wide)];
const forged = [
  signRequest(keys.c2s, 2, {
    ...base,
    action: 'approvals.approve',
    payload: { approval_id: 'a', speaks: SPEAKS },
  }),
  signRequest(others.c2s, 1, { ...base, action: 'gateway.stop' }),
  signRequest(keys.s2c, 1, { ...base, action: 'gateway.stop' }),
  { ...genuine[0], action: 'gateway.stop' },
  { ...genuine[0], source: 'run-1' },
  signRequest(keys.c2s, 1, { ...base, action: 'tool.call.begin' }),
  signRequest(keys.c2s, 1, { ...base, timestamp: '2020-01-01T00:00:00.000Z' }),
];

/**
 * Signed requests at the gateway: only what the session's key signed for this place gets past the second
 * stage.
 */
export const requests: Target = {
  name: 'requests',
  seeds: [...genuine, ...forged].map((request) => Buffer.from(JSON.stringify(request))),
  words: [
    '"action":"gateway.stop"',
    '"payload":{"__proto__":1}',
    '"source":"operator"',
    '{',
    '}',
    ',',
    ':',
    '"',
    '[',
    ']',
    '|',

    '1.0',
    '443.0',
    '4.43e2',
    '\\u0061',
    ' ',
    '\n',
    '"signature":""',
    '"id":"request-0002"',
    'null',
    '\ufeff',

    ...genuine.map(({ signature }) => signature),
  ],
  maxBytes: 2048,
  run(input) {
    const text = input.toString('utf8');
    const caller = {
      kind: 'operator',
      source: 'operator',
      run: undefined,
      world: undefined,
      session: undefined,
    } as const;
    const origin = { caller, now: NOW, cut: () => undefined };
    const call = new Call(origin, { text, stream: new FrameStream(), verifyKey: keys.c2s, seq: 1 });
    for (const stage of stages) {
      let result;
      try {
        result = stage.run(call);
      } catch (error) {
        promise(isSublError(error), `a stage throws ${String(error)}`);
        return false;
      }
      if (result !== 'pass') {
        promise(
          typeof result === 'object' && 'status' in result && result.status === 'error',
          'a refusal is an error',
        );
        return false;
      }
    }
    const passed = canonicalize(parseJson(text));
    promise(
      genuine.some((request) => canonicalize(request) === passed),
      'only what was signed passes',
    );
    return true;
  },
};
