import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  clientProof,
  type Credential,
  decodeKey,
  deriveSession,
  encodeFrame,
  FrameDecoder,
  handshakeTranscript,
} from '@subluminal/core-types';
import { afterEach, expect, it, vi } from 'vitest';
import { KeyRing } from '../base/keys.js';
import { HandshakePace } from './handshake-pace.js';
import { DEFAULT_PEER_LIMITS } from './limits.js';
import { Listener, type ListenerParts } from './listener.js';
import { RefusedPeers } from './refused-peers.js';

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const keys = new KeyRing(randomBytes(32), 'ledger');
const credential = keys.credential('run', 'run-1');

async function listen(admit: ListenerParts['admit']): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sub-ls-'));
  const listener = new Listener({
    keys,
    random: randomBytes,
    limits: DEFAULT_PEER_LIMITS,
    refused: new RefusedPeers({ note: () => undefined }, Date.now),
    pace: new HandshakePace(),
    admit,
    onError: () => undefined,
  });
  ends.push(() => {
    listener.stop();
    listener.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  await listener.listen(join(folder, 's'));
  return join(folder, 's');
}

/** Shows the key, with `behind` in the same bytes as the proof. */
async function show(
  path: string,
  { kind, id, epoch, key, ledger_id }: Credential,
  behind: Buffer,
): Promise<Socket> {
  const socket = connect(path);
  ends.push(() => socket.destroy());
  const nc = randomBytes(32).toString('base64url');
  socket.write(encodeFrame(JSON.stringify({ v: 1, kind, id, epoch, nc })));
  const [answer] = await new Promise<string[]>((resolve) =>
    socket.once('data', (bytes) => resolve(new FrameDecoder().push(bytes))),
  );
  const { ns } = JSON.parse(answer ?? '') as { ns: string };
  const transcript = handshakeTranscript({ v: 1, kind, id, epoch, nc, ledger_id, ns });
  const { hs } = deriveSession(decodeKey(key), transcript);
  socket.write(
    Buffer.concat([encodeFrame(JSON.stringify({ proof_c: clientProof(hs, transcript) })), behind]),
  );
  return socket;
}

it('a connection that is paused as it begins stays so, whatever its peer sends', async () => {
  let admitted: Socket | undefined;
  let rest = Buffer.alloc(0);
  const path = await listen((socket, _identity, ahead) => {
    admitted = socket;
    rest = Buffer.from(ahead);
    socket.on('data', () => undefined);
    socket.pause();
    return true;
  });
  const socket = await show(path, credential, encodeFrame('{"first":1}'));
  const its = await vi.waitUntil(() => admitted, { timeout: 20_000 });
  socket.write(Buffer.alloc(4_000_000));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(new FrameDecoder().push(rest)).toEqual(['{"first":1}']);
  expect(its.isPaused()).toBe(true);
  expect(its.bytesRead).toBeLessThan(500_000);
});

it('a connection that is not paused is read', async () => {
  let read = 0;
  const path = await listen((socket, _identity, ahead) => {
    read = ahead.length;
    socket.on('data', (bytes) => (read += bytes.length));
    return true;
  });
  const socket = await show(path, credential, Buffer.alloc(0));
  socket.write(Buffer.alloc(1_000_000));
  await expect.poll(() => read, { timeout: 20_000 }).toBe(1_000_000);
});
