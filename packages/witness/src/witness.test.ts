import SqliteDatabase from 'better-sqlite3';
import { createPublicKey, generateKeyPairSync, createHash, type KeyObject } from 'node:crypto';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  readNote,
  signNote,
  type VerifierKey,
  verifierKey,
  verifyNote,
  renderCheckpointText,
  renderGrowth,
} from '@subluminal/core-types';
import { MerkleTree } from '@subluminal/ledger';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWitnessServer, WITNESS_LIMITS, type WitnessLimits } from './server.js';
import { WitnessState } from './state.js';
import { Witness } from './witness.js';

const NOW = 1_760_000_000_000;

/** Leaves below one hash of a tile, RFC 9162's node of 256 leaves. */
const TILE = 256;

function sha256(...parts: readonly Buffer[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest();
}

/** The root over as many leaves as a power of two. */
function rootOf(leaves: readonly Buffer[]): Buffer {
  const [only, ...more] = leaves;
  if (only === undefined) throw new Error('a tree without leaves');
  if (more.length === 0) return only;
  const half = leaves.length / 2;
  return sha256(Buffer.from([1]), rootOf(leaves.slice(0, half)), rootOf(leaves.slice(half)));
}

/** A log of its own: `entries` leaves, of which those behind `fork` are others than another copy has. */
class Log {
  readonly key: VerifierKey;
  readonly #private: KeyObject;
  readonly #tree: MerkleTree;

  constructor(name: string, privateKey: KeyObject, entries = 300, fork = Number.POSITIVE_INFINITY) {
    this.#private = privateKey;
    this.key = verifierKey(name, 'log', createPublicKey(privateKey));
    const db = new SqliteDatabase(':memory:');
    db.exec('CREATE TABLE entry(seq INTEGER PRIMARY KEY, hash BLOB)');
    db.exec('CREATE TABLE tile(lvl INTEGER, idx INTEGER, hash BLOB, PRIMARY KEY(lvl,idx))');
    const leaves = Array.from({ length: entries }, (_, at) =>
      sha256(Buffer.from(at + 1 > fork ? `fork ${at + 1}` : `entry ${at + 1}`)),
    );
    const insert = db.prepare('INSERT INTO entry VALUES(?,?)');
    leaves.forEach((leaf, at) => insert.run(at + 1, leaf));
    const tile = db.prepare('INSERT INTO tile VALUES(1,?,?)');
    for (let at = 0; (at + 1) * TILE <= entries; at += 1)
      tile.run(at, rootOf(leaves.slice(at * TILE, (at + 1) * TILE)));
    this.#tree = new MerkleTree(db);
  }

  note(size: number, root = this.#tree.root(size)): string {
    const text = renderCheckpointText({ origin: this.key.name, size, root });
    return `${text}\n${signNote(text, this.key.name, this.#private, this.key.publicKey)}`;
  }

  growth(from: number, to: number): string {
    return renderGrowth({ from, proof: this.#tree.consistency(from, to), note: this.note(to) });
  }
}

const LOG_KEY = generateKeyPairSync('ed25519').privateKey;
const OTHER_KEY = generateKeyPairSync('ed25519').privateKey;
const log = new Log('example.com/log', LOG_KEY);
const fork = new Log('example.com/log', LOG_KEY, 300, 90);

let folder: string;
let state: WitnessState;
let witness: Witness;

function open(): void {
  state = new WitnessState(join(folder, 'state'));
  witness = new Witness('witness.example/w1', state, [log.key], () => NOW);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sub-witness-'));
  open();
});
afterEach(() => {
  state.close();
  rmSync(folder, { recursive: true, force: true });
});

function cosigned(note: string, line: string): unknown {
  const text = note.slice(0, note.indexOf('\n\n') + 1);
  const read = readNote(`${text}\n${line}`);
  return read === undefined ? undefined : verifyNote(read, witness.key);
}

describe('a witness', () => {
  it('cosigns the first checkpoint, and each that continues the newest', () => {
    for (const [from, to] of [
      [0, 7],
      [7, 100],
      [100, 100],
      [100, 300],
    ] as const) {
      const { status, body } = witness.add(log.growth(from, to));
      expect(status).toBe(200);
      expect(cosigned(log.note(to), body)).toMatchObject({ timeS: 1_760_000_000 });
    }
  });

  it('answers 409 with its size to any other old size', () => {
    expect(witness.add(log.growth(0, 100)).status).toBe(200);
    for (const from of [0, 7, 99, 101, 200]) {
      expect(witness.add(log.growth(from, 300))).toEqual({
        status: 409,
        type: 'text/x.tlog.size',
        body: '100\n',
      });
    }
  });

  it('answers 400 to what is no request, 404 for another log, 403 for another key', () => {
    const stranger = new Log('example.com/other', LOG_KEY);
    const impostor = new Log('example.com/log', OTHER_KEY);
    expect(witness.add(stranger.growth(0, 7)).status).toBe(404);
    expect(witness.add(impostor.growth(0, 7)).status).toBe(403);
    expect(witness.add(renderGrowth({ from: 0, proof: [], note: log.note(7).slice(0, -3) })).status).toBe(
      400,
    );
    for (const body of [
      '',
      '\n\n',
      log.note(7),
      log.growth(0, 7).replace('old 0', 'old 00'),
      log.growth(0, 7).replace('old 0', 'old -1'),
      log.growth(0, 7).replace('old 0', 'old 9007199254740993'),
      log.growth(0, 7).replace('old 0\n', ''),
      log.growth(0, 7).replaceAll('\n', '\r\n'),
      renderGrowth({ from: 8, proof: [], note: log.note(7) }),
      renderGrowth({ from: 0, proof: Array<string>(64).fill('ab'.repeat(32)), note: log.note(7) }),
    ]) {
      expect([body, witness.add(body).status]).toEqual([body, 400]);
    }
    expect(readdirSync(join(folder, 'state')).filter((name) => name.startsWith('log-'))).toEqual([]);
  });

  it('answers 422 to a proof that does not verify, and forgets nothing', () => {
    expect(witness.add(log.growth(0, 100)).status).toBe(200);
    const proof = log.growth(100, 300).split('\n');
    for (const body of [
      renderGrowth({ from: 100, proof: [], note: log.note(300) }),
      proof.toSpliced(1, 1).join('\n'),
      proof.toSpliced(1, 0, proof[1] ?? '').join('\n'),
      proof.with(1, proof[2] ?? '').join('\n'),
    ]) {
      expect(witness.add(body).status).toBe(422);
    }
    expect(witness.add(log.growth(100, 300)).status).toBe(200);
  });

  it('a first proof that is not empty, or an empty tree with a root of its own, is refused', () => {
    expect(witness.add(renderGrowth({ from: 0, proof: ['ab'.repeat(32)], note: log.note(7) })).status).toBe(
      422,
    );
    expect(witness.add(renderGrowth({ from: 0, proof: [], note: log.note(0, 'ab'.repeat(32)) })).status).toBe(
      409,
    );
    expect(witness.add(renderGrowth({ from: 0, proof: [], note: log.note(0) })).status).toBe(200);
  });
});

describe('two copies of one ledger that both go on', () => {
  it('do not both get a cosignature, whichever comes first', () => {
    expect(witness.add(log.growth(0, 100)).status).toBe(200);
    expect(witness.add(fork.growth(0, 100))).toMatchObject({ status: 409, body: '100\n' });
    expect(witness.add(fork.growth(100, 100)).status).toBe(409);
    expect(witness.add(fork.growth(100, 300)).status).toBe(422);
    expect(witness.add(fork.growth(90, 300)).status).toBe(409);
    expect(witness.add(log.growth(100, 200)).status).toBe(200);
  });

  it('leave evidence: both signed notes of one size', () => {
    witness.add(log.growth(0, 100));
    witness.add(fork.growth(100, 100));
    witness.add(fork.growth(100, 300));
    const files = readdirSync(join(folder, 'state'));
    const [proven = ''] = files.filter((name) => name.startsWith('fork-'));
    expect(readFileSync(join(folder, 'state', proven), 'utf8')).toBe(fork.note(100));
    expect(files.filter((name) => name.startsWith('refused-'))).toHaveLength(1);
  });

  it('evidence does not grow without end', () => {
    witness.add(log.growth(0, 200));
    for (let size = 201; size <= 300; size += 1) {
      witness.add(renderGrowth({ from: 200, proof: [], note: log.note(size) }));
    }
    expect(readdirSync(join(folder, 'state')).filter((name) => name.startsWith('refused-'))).toHaveLength(64);
  });
});

describe('what a witness remembers', () => {
  it('outlives it: a ledger that was put back is refused by the next start', () => {
    expect(witness.add(log.growth(0, 200)).status).toBe(200);
    const { key } = witness;
    state.close();
    open();
    expect(witness.key.keyId).toBe(key.keyId);
    expect(witness.add(log.growth(0, 100))).toMatchObject({ status: 409, body: '200\n' });
    expect(witness.add(log.growth(200, 300)).status).toBe(200);
  });

  it('is on the disk before the answer: a crash between the two costs a retry, never a second history', () => {
    const added = witness.add(log.growth(0, 100));
    expect(added.status).toBe(200);
    // The answer is lost; the process is gone. A client that asks again learns the size and gets the same
    // root cosigned.
    state.close();
    open();
    expect(witness.add(fork.growth(0, 100)).status).toBe(409);
    expect(witness.add(fork.growth(100, 100)).status).toBe(409);
    expect(witness.add(log.growth(100, 100)).status).toBe(200);
  });

  it('what a crash leaves of a draft is no memory', () => {
    witness.add(log.growth(0, 100));
    const [name = ''] = readdirSync(join(folder, 'state')).filter((file) => file.startsWith('log-'));
    writeFileSync(join(folder, 'state', `${name}.new-1`), fork.note(300));
    expect(witness.add(log.growth(100, 200)).status).toBe(200);
  });

  it('belongs to one process', () => {
    expect(() => new WitnessState(join(folder, 'state'))).toThrow(
      expect.objectContaining({ code: 'already_running' }),
    );
  });

  it('is never begun anew in silence: damage or a lost key is an error, and nothing is signed', () => {
    witness.add(log.growth(0, 100));
    const [name = ''] = readdirSync(join(folder, 'state')).filter((file) => file.startsWith('log-'));
    for (const text of [
      '',
      log.note(50).replace('\n50\n', '\n5\n'),
      new Log('example.com/log', OTHER_KEY).note(1),
    ]) {
      writeFileSync(join(folder, 'state', name), text);
      expect(() => witness.add(log.growth(100, 200))).toThrow(expect.objectContaining({ code: 'failed' }));
    }
    state.close();
    rmSync(join(folder, 'state', 'key'));
    expect(() => new WitnessState(join(folder, 'state'))).toThrow(
      expect.objectContaining({ code: 'key_missing' }),
    );
    writeFileSync(join(folder, 'state', 'key'), 'x');
    expect(() => new WitnessState(join(folder, 'state'))).toThrow(
      expect.objectContaining({ code: 'key_missing' }),
    );
  });

  it('is never begun anew where something stands in its place, or what it is cannot be seen', () => {
    witness.add(log.growth(0, 100));
    const [name = ''] = readdirSync(join(folder, 'state')).filter((file) => file.startsWith('log-'));
    const path = join(folder, 'state', name);
    const memory = readFileSync(path, 'utf8');
    for (const target of [join(folder, 'nowhere'), name]) {
      rmSync(path);
      symlinkSync(target, path);
      expect(() => witness.add(fork.growth(0, 100))).toThrow(
        expect.objectContaining({ code: 'home_unsafe' }),
      );
    }
    rmSync(path);
    writeFileSync(path, memory);
    expect(witness.add(log.growth(100, 200)).status).toBe(200);
  });

  it('is refused where others can write it, or read its key', () => {
    state.close();
    chmodSync(join(folder, 'state', 'key'), 0o644);
    expect(() => new WitnessState(join(folder, 'state'))).toThrow(
      expect.objectContaining({ code: 'home_unsafe' }),
    );
    chmodSync(join(folder, 'state', 'key'), 0o600);
    chmodSync(join(folder, 'state'), 0o770);
    expect(() => new WitnessState(join(folder, 'state'))).toThrow(
      expect.objectContaining({ code: 'home_unsafe' }),
    );
    chmodSync(join(folder, 'state'), 0o700);
    open();
    expect(witness.add(log.growth(0, 100)).status).toBe(200);
  });

  it('is private', () => {
    witness.add(log.growth(0, 100));
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(join(folder, 'state'))) {
      expect([name, statSync(join(folder, 'state', name)).mode & 0o077]).toEqual([name, 0]);
    }
  });

  it('a log with another key begins a memory of its own', () => {
    witness.add(log.growth(0, 100));
    const renewed = new Log('example.com/log', OTHER_KEY);
    const second = new Witness('witness.example/w1', state, [renewed.key], () => NOW);
    expect(second.add(renewed.growth(0, 50)).status).toBe(200);
    expect(witness.add(log.growth(100, 200)).status).toBe(200);
  });
});

describe('over HTTP', () => {
  let server: Server;
  let port: number;
  const errors: unknown[] = [];

  async function listen(limits: Partial<WitnessLimits> = {}): Promise<void> {
    server = createWitnessServer(witness, { ...WITNESS_LIMITS, ...limits }, (error) => errors.push(error));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  }

  afterEach(() => {
    server.close();
    server.closeAllConnections();
    errors.length = 0;
  });

  function post(
    body: string,
    path = '/add-checkpoint',
    method = 'POST',
  ): Promise<{ status: number; type: string; body: string }> {
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, path, method, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers['content-type'] ?? '',
            body: text,
          }),
        );
      });
      asked.on('error', reject);
      asked.end(body);
    });
  }

  it('answers as C2SP tlog-witness has it', async () => {
    await listen();
    expect(await post(log.growth(0, 100))).toMatchObject({
      status: 200,
      body: expect.stringMatching(/^— witness\.example\/w1 \S+\n$/),
    });
    expect(await post(log.growth(0, 300))).toEqual({ status: 409, type: 'text/x.tlog.size', body: '100\n' });
    expect((await post('', '/')).status).toBe(404);
    expect((await post('', '/add-checkpoint/')).status).toBe(404);
    expect((await post('', '/add-checkpoint', 'PUT')).status).toBe(405);
  });

  it('cosigns one of two histories however many requests race', async () => {
    await listen();
    const racing = await Promise.all(
      Array.from({ length: 40 }, (_, at) => post((at % 2 === 0 ? log : fork).growth(0, 100 + at))),
    );
    const signed = racing.flatMap(({ status }, at) => (status === 200 ? [at] : []));
    expect(signed).toHaveLength(1);
    expect(racing.filter(({ status }) => status === 409)).toHaveLength(39);
    const winner = (signed[0] ?? 0) % 2 === 0 ? log : fork;
    const loser = winner === log ? fork : log;
    const size = 100 + (signed[0] ?? 0);
    const next = await Promise.all([
      ...Array.from({ length: 10 }, () => post(loser.growth(size, 250))),
      post(winner.growth(size, 250)),
      post(winner.growth(size, 200)),
    ]);
    expect(next.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(next.slice(0, 10).filter(({ status }) => status === 200)).toEqual([]);
  });

  it('refuses a body that is too large, and goes on', async () => {
    await listen();
    const large = await post('x'.repeat(10 << 20)).catch((error: unknown) => ({
      status: error instanceof Error && 'code' in error ? error.code : error,
    }));
    expect([413, 'EPIPE', 'ECONNRESET']).toContain(large.status);
    expect((await post(log.growth(0, 100))).status).toBe(200);
  });

  it('lets go of clients that send a byte now and then, and serves others meanwhile', async () => {
    await listen({ requestMs: 300, maxConnections: 8 });
    const gone = Array.from({ length: 6 }, () => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.write('POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\no');
      const timer = setInterval(() => socket.write('o'), 50);
      return new Promise<void>((resolve) => {
        socket.once('close', () => {
          clearInterval(timer);
          resolve();
        });
      });
    });
    expect((await post(log.growth(0, 100))).status).toBe(200);
    await Promise.all(gone);
    expect((await post(log.growth(100, 200))).status).toBe(200);
  });

  it('takes no more connections than it may', async () => {
    await listen({ maxConnections: 4 });
    const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
    let closed = 0;
    await new Promise<void>((resolve) => {
      for (const socket of sockets) {
        socket.on('error', () => undefined).resume();
        socket.once('close', () => {
          closed += 1;
          if (closed === 16) resolve();
        });
      }
    });
    const count = await new Promise<number>((resolve) => {
      server.getConnections((_error, connections) => resolve(connections));
    });
    expect(count).toBe(4);
    for (const socket of sockets) socket.destroy();
  });

  it('says 500 and signs nothing where its memory is damaged', async () => {
    await listen();
    await post(log.growth(0, 100));
    const [name = ''] = readdirSync(join(folder, 'state')).filter((file) => file.startsWith('log-'));
    writeFileSync(join(folder, 'state', name), 'x');
    expect(await post(log.growth(100, 200))).toMatchObject({ status: 500, body: 'the witness failed\n' });
    expect(errors).toHaveLength(1);
  });

  it('is not put off by a client that goes away', async () => {
    await listen();
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /add-checkpoint HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nold');
    socket.once('connect', () => socket.destroy());
    expect((await post(log.growth(0, 100))).status).toBe(200);
    expect(errors).toEqual([]);
  });
});
