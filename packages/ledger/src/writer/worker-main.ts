import { SublError } from '@subluminal/core-types';
import { parentPort, workerData } from 'node:worker_threads';
import { serveStore } from './serve-store.js';

/** Entry point of the worker's thread: the store behind a message port. */
function main(): void {
  if (parentPort === null) throw new SublError('failed', 'this file runs as a worker thread');
  serveStore(parentPort, workerData);
}

main();
