import { serveWitness } from './serve-witness.js';

process.exitCode = await serveWitness(process.argv.slice(2), Date.now);
