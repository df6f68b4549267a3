/**
 * The cost of any forward proxy in Node that records a connection before it makes it: the head read, one row
 * in a commit with fsync, the name resolved, the connection, a second row when it has ended, which goes with
 * the next commit. No token, no decision, no check of what is carried. Usage: floor-proxy.mjs DATABASE
 */
import { openDatabase } from '../../packages/ledger/dist/sqlite/open.js';
import { connect, createServer } from 'node:net';

const HEAD = /^(?:CONNECT ([^: ]+):([0-9]+)|GET http:\/\/([^:/]+):([0-9]+)(\/[^ ]*)) /;
const db = openDatabase(process.argv[2]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec('CREATE TABLE entry(seq INTEGER PRIMARY KEY, body TEXT)');
const insert = db.prepare('INSERT INTO entry(body) VALUES(?)');
const [begin, commit] = [db.prepare('BEGIN IMMEDIATE'), db.prepare('COMMIT')];

const ended = [];
let waiting = [];
function commitAll() {
  begin.run();
  for (const body of ended.splice(0)) insert.run(body);
  const batch = waiting;
  waiting = [];
  for (const { body } of batch) insert.run(body);
  commit.run();
  for (const { go } of batch) go();
}

function serve(client) {
  client.on('error', () => undefined);
  client.once('data', (head) => {
    client.pause();
    const text = String(head);
    const [, tunnelTo, tunnelPort, host = tunnelTo, port = tunnelPort, path] = HEAD.exec(text) ?? [];
    const body = JSON.stringify({ type: 'action_pending', host, port, text });
    if (waiting.length === 0) setImmediate(commitAll);
    waiting.push({ body, go: () => carry(client, { host, port, path, text }) });
  });
}

function carry(client, { host, port, path, text }) {
  const server = connect({ host, port, family: 4, noDelay: true, allowHalfOpen: true });
  server.on('error', () => undefined);
  server.once('connect', () => {
    if (path === undefined) client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    else server.write(text.replace(/^GET [^ ]+/, `GET ${path}`));
    client.pipe(server);
    server.pipe(client);
  });
  server.once('close', () => {
    ended.push(
      JSON.stringify({ type: 'action_result', port, up: server.bytesWritten, down: server.bytesRead }),
    );
    client.destroy();
  });
  client.once('close', () => server.destroy());
}

const listener = createServer({ allowHalfOpen: true, noDelay: true }, serve);
listener.listen(0, '127.0.0.1', 1024, () => process.stdout.write(`${listener.address().port}\n`));
