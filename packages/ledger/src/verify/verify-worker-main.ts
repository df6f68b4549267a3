import { SublError } from '@subluminal/core-types';
import type { Database } from 'better-sqlite3';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { openReadOnly } from '../schema/connection.js';
import { checkIntegrity } from './integrity.js';
import { readPages } from './page-source.js';
import type { PageText } from './page-text.js';
import type { VerifyAnswer, VerifyWork } from './threads.js';

/** Pages in one message: enough to make its cost small, few enough to be a megabyte. */
const PAGES_A_MESSAGE = 16;

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

/** A message with pages for each that asks for them. */
function sendPages(port: MessagePort, db: Database, work: VerifyWork & { do: 'pages' }): void {
  const pages = readPages(db, work)[Symbol.iterator]();
  port.on('message', () => {
    const batch: PageText[] = [];
    while (batch.length < PAGES_A_MESSAGE) {
      const { value, done } = pages.next();
      if (done === true) break;
      batch.push(value);
    }
    post(port, { pages: batch });
  });
}

function post(port: MessagePort, answer: VerifyAnswer): void {
  port.postMessage(answer);
}

main();
