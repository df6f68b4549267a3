/** @anthropic-ai/sandbox-runtime: bubblewrap, and two proxies that it reaches by socat. */
import { existsSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { installPeers } from './open.mjs';

const MODULE = new URL('node_modules/@anthropic-ai/sandbox-runtime/dist/index.js', import.meta.url);
const NEEDED = ['socat', 'rg'];

/** Why it cannot be measured here; undefined where it can. */
export function whyNoSandbox() {
  const missing = NEEDED.filter(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error !== undefined,
  );
  if (missing.length > 0) return `\`${missing.join('`, `')}\` is not installed`;
  return installPeers() && existsSync(MODULE) ? undefined : 'it cannot be installed';
}

/** Starts its proxies; `command` gives the words of a shell that run a program in a sandbox. */
export async function openSandbox() {
  const { SandboxManager } = await import(MODULE.href);
  await SandboxManager.initialize({
    network: { allowedDomains: ['localhost'], deniedDomains: [] },
    filesystem: { denyRead: [], allowWrite: ['.'], denyWrite: [] },
  });
  return {
    command: (words) => SandboxManager.wrapWithSandbox(words),
    close: () => SandboxManager.reset(),
  };
}
