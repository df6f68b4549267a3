import { canonicalize, encodeFrame, FrameDecoder, isSublError, parseJson } from '@subluminal/core-types';
import { FirstFrames } from '../../../packages/gateway/dist/sessions/first-frames.js';
import { ServerHandshake, type ShownIdentity } from '../../../packages/gateway/dist/sessions/handshake.js';
import { KeyRing } from '../../../packages/gateway/dist/base/keys.js';
import { shakeHands } from '../../../packages/ipc/dist/client/handshake.js';
import { chunks, promise, type Target } from '../engine/target.js';
import { fixedSession, LEDGER_ID, Line, MASTER, NONCE } from './session.js';

const own = fixedSession('run-of-the-honest');
const other = fixedSession('run-of-another');
const later = fixedSession('run-of-the-honest', Buffer.alloc(32, 3));
const text = (value: object): string => JSON.stringify(value);
const frame = (value: object): Buffer => encodeFrame(text(value));
const same = (a: string, b: object): boolean => canonicalize(parseJson(a)) === canonicalize(b);

const WORDS = [
  '"v":1',
  '"v":2',
  '"kind":"operator"',
  '"kind":"run"',
  '"id":"operator"',
  '"epoch":2',
  '"epoch":1.0',
  '"epoch":1e0',

  '{',
  '}',
  ',',
  ':',
  '"',
  '\0\0\0\u0001',
  own.proof.proof_c,
  own.welcome.proof_s,
  other.proof.proof_c,
  '|',
  '\\u0070',

  '"error":{"code":"handshake_refused"}',
  '"ledger_id":"x"',
  '"requestId":""',
];

/**
 * The gateway's side: whoever does not hold the key of that very handshake is refused, with one and the same
 * error.
 */
export const serverHandshake: Target = {
  name: 'server-handshake',
  seeds: [
    Buffer.concat([frame(own.hello), frame(own.proof), frame({ id: 'rest' })]),
    Buffer.concat([frame(own.hello), frame({ proof_c: own.welcome.proof_s })]),
    Buffer.concat([frame(own.hello), frame(other.proof)]),
    Buffer.concat([frame(own.hello), frame(later.proof)]),
    Buffer.concat([frame({ ...own.hello, kind: 'operator', id: 'operator' }), frame(own.proof)]),
    Buffer.concat([frame(own.proof), frame(own.hello)]),
  ],
  words: WORDS,
  maxBytes: 5000,
  run(input, random) {
    const handshake = new ServerHandshake(new KeyRing(MASTER, LEDGER_ID), () => NONCE);
    const frames = new FirstFrames();
    const said: string[] = [];
    let shown: ShownIdentity | undefined;
    try {
      for (const chunk of chunks(input, random)) {
        frames.push(chunk);
        for (let next = frames.next(); next !== undefined && shown === undefined; next = frames.next()) {
          said.push(next);
          if (said.length === 1) handshake.answer(next);
          else shown = handshake.conclude(next);
          if (shown !== undefined) break;
        }
        if (shown !== undefined) break;
      }
    } catch (error) {
      const codes = ['handshake_refused', 'frame_empty', 'frame_too_large', 'frame_bad_utf8'] as const;
      promise(isSublError(error, ...codes), `a peer is refused, and ${String(error)} is no refusal`);
      return false;
    }
    if (shown === undefined) return false;
    const [hello = '', proof = ''] = said;
    promise(same(hello, own.hello) && same(proof, own.proof), 'only the holder of the key is let in');
    promise(
      shown.id === own.hello.id && shown.kind === 'run' && shown.epoch === 1,
      'it is who it showed to be',
    );
    return true;
  },
};

/** The client's side: nobody but the gateway of this ledger, in this very handshake, is believed. */
export const clientHandshake: Target = {
  name: 'client-handshake',
  seeds: [
    frame(own.welcome),
    frame(other.welcome),
    frame(later.welcome),
    frame({ ...own.welcome, proof_s: own.proof.proof_c }),
    frame({ error: { code: 'handshake_refused', message: 'no' } }),
    Buffer.concat([frame(own.welcome), frame({ requestId: 'x', status: 'success' })]),
    frame(own.hello),
  ],
  words: WORDS,
  maxBytes: 5000,
  async run(input, random) {
    const line = new Line();
    const options = { credential: own.credential, random: () => NONCE, timeoutMs: 60_000 };
    const shaking = shakeHands(line.socket, options).then(
      (shaken) => shaken,
      (error: unknown) => {
        promise(isSublError(error, 'gateway_unreachable', 'handshake_refused'), `it throws ${String(error)}`);
        return undefined;
      },
    );
    for (const chunk of chunks(input, random)) line.hear(chunk);
    line.emit('close');
    const shaken = await shaking;
    line.destroy();
    if (shaken === undefined) return false;
    const [welcome = ''] = new FrameDecoder().push(input.subarray(0, 4 + input.readUInt32BE(0)));
    const { v, ledger_id: ledgerId, ns, proof_s: proof } = parseJson(welcome) as Record<string, unknown>;
    promise(
      canonicalize({ v, ledger_id: ledgerId, ns, proof_s: proof }) === canonicalize(own.welcome),
      'only the gateway of this ledger is believed',
    );
    promise(shaken.keys.s2c.equals(own.keys.s2c), 'both sides have the same keys');
    return true;
  },
};
