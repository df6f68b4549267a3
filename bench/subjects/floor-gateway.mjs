/**
 * The cost of any durable gateway: a frame in, JSON.parse, one HMAC, three rows in one commit with fsync that
 * all waiting calls share, one HMAC, a frame out. No policy, no checks, no hashes. Usage: floor-gateway.mjs
 * SOCKET DATABASE
 */
import { openDatabase } from '../../packages/ledger/dist/sqlite/open.js';
import { createHmac, createSecretKey } from 'node:crypto';
import { createServer } from 'node:net';
import { frames, frameOf } from './floor-frames.mjs';

const [socketPath, database] = process.argv.slice(2);
const key = createSecretKey(Buffer.alloc(32, 7));
const mac = (text) => createHmac('sha256', key).update(text).digest('base64url');

const db = openDatabase(database);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE entry(seq INTEGER PRIMARY KEY, kind INTEGER, body TEXT)');
const insert = db.prepare('INSERT INTO entry(kind, body) VALUES(?, ?)');
const begin = db.prepare('BEGIN IMMEDIATE');
const commit = db.prepare('COMMIT');

let waiting = [];
function commitAll() {
  const batch = waiting;
  waiting = [];
  begin.run();
  for (const { body } of batch) for (let kind = 2; kind <= 4; kind += 1) insert.run(kind, body);
  commit.run();
  const sockets = new Set(batch.map(({ socket }) => socket));
  for (const socket of sockets) socket.cork();
  for (const { socket, id } of batch) {
    const answer = `{"id":${id},"action":"ALLOW"}`;
    socket.write(frameOf(answer, mac(answer)));
  }
  for (const socket of sockets) socket.uncork();
}

createServer((socket) => {
  socket.on(
    'data',
    frames((text, signature) => {
      if (mac(text) !== signature) throw new Error('a frame is not signed');
      if (waiting.length === 0) setImmediate(commitAll);
      waiting.push({ socket, id: JSON.parse(text).id, body: text });
    }),
  );
}).listen(socketPath);
