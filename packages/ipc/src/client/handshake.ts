import {
  clientProof,
  type Credential,
  decodeKey,
  deriveSession,
  encodeFrame,
  FrameDecoder,
  handshakeTranscript,
  isJsonObject,
  isSublError,
  macEquals,
  parseJson,
  serverProof,
  type SessionKeys,
  SublError,
} from '@subluminal/core-types';
import type { Socket } from '../connect.js';
import { refusalOf } from './refusal.js';

/** The version of the handshake; there is no older mode and no fallback. */
const VERSION = 1;
const NONCE_BYTES = 32;
/** Frames of the handshake are a few hundred bytes. */
const MAX_FRAME_BYTES = 4096;

export interface HandshakeOptions {
  readonly credential: Credential;
  readonly random: (size: number) => Uint8Array;
  readonly timeoutMs: number;
}

/** A handshake, complete but for our proof. */
export interface Shaken {
  readonly keys: SessionKeys;
  /**
   * Our proof, which leaves with the first request, in one system call: a refusal could close the connection
   * between the two, and what fails then is the writing, which would leave the refusal unread.
   */
  readonly proof: Buffer;
}

/**
 * Shakes hands as a client and gives the keys of the connection; the socket is left paused. Nothing but
 * `kind`, `id`, `epoch` and a nonce leaves before the gateway has proved that it holds our key. Throws
 * `handshake_refused` when the gateway says no, `gateway_unreachable` when what answers is not our gateway.
 * ARCHITECTURE.md, "The socket".
 */
export async function shakeHands(socket: Socket, options: HandshakeOptions): Promise<Shaken> {
  const { credential } = options;
  const { kind, id, epoch } = credential;
  const nc = Buffer.from(options.random(NONCE_BYTES)).toString('base64url');
  socket.write(encodeFrame(JSON.stringify({ v: VERSION, kind, id, epoch, nc }), MAX_FRAME_BYTES));
  const answer = await readFrame(socket, options.timeoutMs);
  const { ledgerId, ns, proof: theirs } = readHello(answer);
  if (ledgerId !== credential.ledger_id) throw stranger('serves another ledger than this key belongs to');
  const transcript = handshakeTranscript({ v: VERSION, kind, id, epoch, nc, ledger_id: ledgerId, ns });
  const keys = deriveSession(decodeKey(credential.key), transcript);
  if (!macEquals(theirs, serverProof(keys.hs, transcript)))
    throw stranger('does not hold the key of this home');
  const proof = encodeFrame(JSON.stringify({ proof_c: clientProof(keys.hs, transcript) }), MAX_FRAME_BYTES);
  return { keys, proof };
}

function readHello(text: string): { ledgerId: string; ns: string; proof: string } {
  let value;
  try {
    value = parseJson(text, { maxDepth: 4 });
  } catch (cause) {
    throw stranger('does not speak our protocol', cause);
  }
  if (!isJsonObject(value)) throw stranger('does not speak our protocol');
  const refusal = refusalOf(value);
  if (refusal !== undefined) throw refusal;
  const { v, ledger_id: ledgerId, ns, proof_s: proof } = value;
  if (v !== VERSION || typeof ledgerId !== 'string' || typeof ns !== 'string' || typeof proof !== 'string') {
    throw stranger('does not speak our protocol');
  }
  return { ledgerId, ns, proof };
}

/** Exactly one frame: a gateway has nothing more to say before it has seen our proof. */
function readFrame(socket: Socket, timeoutMs: number): Promise<string> {
  const decoder = new FrameDecoder({ maxBytes: MAX_FRAME_BYTES });
  return new Promise((resolve, reject) => {
    const finish = (outcome: string | SublError): void => {
      clearTimeout(timer);
      socket.off('data', onData).off('error', onError).off('close', onClose);
      socket.pause();
      if (typeof outcome === 'string') resolve(outcome);
      else reject(outcome);
    };
    const timer = setTimeout(() => finish(stranger('does not answer')), timeoutMs);
    const onError = (cause: Error): void => finish(stranger('broke the connection', cause));
    const onClose = (): void => finish(stranger('closed the connection'));
    const onData = (chunk: Buffer): void => {
      try {
        const [text, second] = decoder.push(chunk);
        if (second !== undefined || (text !== undefined && decoder.buffered > 0)) {
          finish(stranger('talks out of turn'));
        } else if (text !== undefined) finish(text);
      } catch (cause) {
        if (!isSublError(cause)) throw cause;
        finish(stranger('does not speak our protocol', cause));
      }
    };
    socket.on('data', onData).once('error', onError).once('close', onClose);
  });
}

function stranger(what: string, cause?: unknown): SublError {
  return new SublError('gateway_unreachable', `what answers on the gateway's socket ${what}`, {
    help: 'run `sub doctor` for what is wrong',
    ...(cause === undefined ? {} : { cause }),
  });
}
