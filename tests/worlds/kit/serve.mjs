// A gateway in a process of its own, so that it can be another user's: `serve.mjs HOME NAMES POLICY
// SETTINGS`. Every name in NAMES is this machine, and may be reached; no other name leads anywhere. An empty
// POLICY is none, and SETTINGS are more of config.toml. It ends with its input.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SublError } from '@subluminal/core-types';
import { startGateway } from '@subluminal/daemon';
import { connectGateway, homePaths, readCredential } from '@subluminal/ipc';

const [home = '', given = '{}', policy = '', settings = ''] = process.argv.slice(2);
/** @type {Record<string, { port?: number, protocol?: string }[]>} */
const names = JSON.parse(given);
mkdirSync(home, { recursive: true, mode: 0o700 });
writeFileSync(join(home, 'config.toml'), `[egress]\nmode = "enforce"\n${settings}`, { mode: 0o600 });
if (policy !== '') writeFileSync(join(home, 'policy.yaml'), policy, { mode: 0o600 });
/** @type {string[]} */
const resolved = [];
const gateway = await startGateway({
  home,
  headsLog: join(home, 'memory.log'),
  desktop: { platform: 'linux', folders: [], bus: '' },
  resolver: {
    resolve(host) {
      resolved.push(host);
      if (Object.hasOwn(names, host)) return Promise.resolve(['127.0.0.1']);
      return Promise.reject(new SublError('resolve_failed', `\`${host}\` is not there`));
    },
  },
});
const paths = homePaths(home);
const operator = await connectGateway({
  socketPath: paths.socket,
  credential: readCredential(paths.operatorKey),
  clock: Date.now,
});
for (const [host, entries] of Object.entries(names)) {
  for (const entry of entries) {
    const answer = await operator.request('allow.add', { host, allow_private: true, ...entry });
    if (answer.status !== 'success') throw new Error(JSON.stringify(answer.error));
  }
}
operator.close();
process.stdout.write('ready\n');
for await (const chunk of process.stdin) {
  if (String(chunk).includes('resolved')) process.stdout.write(`${JSON.stringify(resolved)}\n`);
}
await gateway.stop('the test is over');
