/** @anthropic-ai/sandbox-runtime: bubblewrap, and two proxies that it reaches by socat. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { installPeers } from './open.mjs';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const NEEDED = ['socat', 'rg'];
/** Nothing of the bench loads it: the peer is a process of its own. */
const DRIVER = `
import { createInterface } from 'node:readline';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
const does = {
  start: (folder) => SandboxManager.initialize({
    network: { allowedDomains: ['localhost'], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: [folder], denyWrite: [] },
  }),
  command: (words) => SandboxManager.wrapWithSandbox(words),
  close: () => SandboxManager.reset(),
};
console.log('null');
for await (const line of createInterface({ input: process.stdin })) {
  const [name, word] = JSON.parse(line);
  console.log(JSON.stringify((await does[name](word)) ?? null));
}
process.exit(0);
`;

/** Why it cannot be measured here; undefined where it can. */
export function whyNoSandbox() {
  const missing = NEEDED.filter(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error !== undefined,
  );
  if (missing.length > 0) return `\`${missing.join('`, `')}\` is not installed`;
  return installPeers() && existsSync(`${FOLDER}node_modules/.bin/srt`)
    ? undefined
    : 'it cannot be installed';
}

/**
 * Opens one for programs that may write in that folder. `start` starts its proxies; `command` gives the words
 * of a shell that run a program in a sandbox.
 */
export async function openSandbox(folder) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', DRIVER], {
    cwd: FOLDER,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? 'null');
  const ask = (...words) => {
    child.stdin.write(`${JSON.stringify(words)}\n`);
    return next();
  };
  await next();
  return {
    start: () => ask('start', folder),
    command: (words) => ask('command', words),
    close: async () => {
      await ask('close');
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
