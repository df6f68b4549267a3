import { SublError } from '@subluminal/core-types';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { openReadOnly } from '../schema/connection.js';
import { checkFiles } from './integrity.js';
import { readPages, type FileRange, type OpenRange } from './page-source.js';
import { PAGES_A_REQUEST, type VerifyAnswer, type VerifyWork } from './threads.js';

/** Entry point of a thread that does one part of a verification, on connections and snapshots of its own. */
function main(): void {
  const port = parentPort;
  if (port === null) throw new SublError('failed', 'this file runs as a worker thread');
  const work: VerifyWork = workerData;
  if (work.do === 'integrity') post(port, { faulty: checkFiles(databases(work.files)) });
  else sendPages(port, work);
}

/** Opens each file when it is its turn, and closes it behind that. */
function* openEach(files: readonly FileRange[]): Iterable<OpenRange> {
  for (const file of files) {
    const db = openReadOnly(file.path);
    db.exec('BEGIN');
    yield { ...file, db };
    db.close();
  }
}

function* databases(files: readonly FileRange[]): Iterable<OpenRange['db']> {
  for (const { db } of openEach(files)) yield db;
}

/** So many pages for each message that asks for them. */
function sendPages(port: MessagePort, work: VerifyWork & { do: 'pages' }): void {
  const pages = readPages(openEach(work.files), work)[Symbol.iterator]();
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
