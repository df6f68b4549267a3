import { SublError } from '@subluminal/core-types';
import { parentPort, workerData } from 'node:worker_threads';
import { serveReader } from './serve-reader.js';

/** Entry point of the reader's thread. */
function main(): void {
  if (parentPort === null) throw new SublError('failed', 'this file runs as a worker thread');
  serveReader(parentPort, workerData);
}

main();
