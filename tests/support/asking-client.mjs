import { readFileSync } from 'node:fs';
import { connectGateway, readCredential } from '@subluminal/ipc';

/**
 * A process that asks the gateway for one action again and again, `callers` at once over connections of its
 * own, and opens a new connection where one is lost. Prints how often each status came.
 *
 *   node asking-client.mjs PLAN.json    {socketPath, credentialPath, callers, times, action, payload}
 */
const plan = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const credential = readCredential(plan.credentialPath);
const counts = {};
const count = (what) => (counts[what] = (counts[what] ?? 0) + 1);

async function caller() {
  let client;
  for (let done = 0; done < plan.times;) {
    try {
      client ??= await connectGateway({ socketPath: plan.socketPath, credential, clock: Date.now });
      count((await client.request(plan.action, plan.payload)).status);
      done += 1;
    } catch (error) {
      if (error.code === 'in_doubt') count('in_doubt');
      client = undefined;
      count('lost');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  client?.close();
}
await Promise.all(Array.from({ length: plan.callers }, caller));
process.stdout.write(JSON.stringify(counts));
