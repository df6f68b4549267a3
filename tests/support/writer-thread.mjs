// The thread of `kept-writers.mjs`: it writes one ledger after the other.
import { parentPort } from 'node:worker_threads';
import { serveStore } from '../../packages/ledger/dist/writer/serve-store.js';

parentPort?.on('message', ({ port, start }) => serveStore(port, start));
