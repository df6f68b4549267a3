import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { openReadOnly } from '../schema/connection.js';
import { checkIntegrity } from './integrity.js';
import { readPages } from './page-source.js';
import { PAGES_A_REQUEST, type VerifyAnswer, type VerifyWork } from './threads.js';

/** Entry point of a thread that does one part of a verification, on a connection and a snapshot of its own. */
function main(): void {
  const port = parentPort;
  if (port === null) throw new SublError('failed', 'this file runs as a worker thread');
  const work: VerifyWork = workerData;
  const db = openReadOnly(work.path);
  db.exec('BEGIN');
  if (work.do === 'integrity') {
    post(port, { finding: checkIntegrity(db) });
    db.close();
  } else sendPages(port, db, work);
}

/** So many pages for each message that asks for them. */
function sendPages(port: MessagePort, db: Database, work: VerifyWork & { do: 'pages' }): void {
  const pages = readPages(db, work)[Symbol.iterator]();
  port.on('message', () => {
    for (let sent = 0; sent < PAGES_A_REQUEST; sent += 1) {
      const { value, done } = pages.next();
      post(port, { page: done === true ? null : value });
      if (done === true) break;
    }
  });
}

function post(port: MessagePort, answer: VerifyAnswer): void {
  port.postMessage(answer);
}

main();
