import { serve } from './serve.js';

// Without a listener node opens its debugger on loopback for whoever sends this signal: every user of the
// machine could run code here.
process.on('SIGUSR1', () => undefined);
process.exitCode = await serve(process.argv.slice(2));
