import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { lenientServer, READINGS, Server } from './server.js';
import { REFUSED, SMUGGLED } from './smuggled.js';

const PEER = fileURLToPath(new URL('peer/', import.meta.url));
const LONG = process.env['SUB_LONG'] !== undefined;

/** Installs the peer on first use; false, and said so, where that is not possible. */
function installed(): boolean {
  if (existsSync(join(PEER, 'node_modules/@microsoft/agent-governance-sdk'))) return true;
  try {
    execFileSync('npm', ['install', '--no-package-lock', '--ignore-scripts', '--loglevel=error'], {
      cwd: PEER,
      stdio: 'pipe',
      timeout: 180_000,
    });
    return true;
  } catch (error) {
    const [why] = String(error).split('\n');
    process.stdout.write(`skipped: the peer cannot be installed here (${why})\n`);
    return false;
  }
}

it.runIf(LONG && installed())(
  'the same messages reach the refused tool behind a gate that parses and forwards',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'peer-'));
    const servers = READINGS.map((reading) => {
      const log = join(folder, reading);
      writeFileSync(log, '');
      return new Server(log, [process.execPath, join(PEER, 'gate.mjs'), ...lenientServer(reading, log)]);
    });
    const reached: string[] = [];
    for (const smuggled of SMUGGLED) {
      const ran = await Promise.all(servers.map((server) => server.ran(smuggled)));
      if (ran.some(({ log }) => REFUSED.test(log))) reached.push(smuggled.name);
    }
    await Promise.all(servers.map((server) => server.close()));
    rmSync(folder, { recursive: true });
    process.stdout.write(
      `${reached.length} of ${SMUGGLED.length} messages reach the refused tool behind the peer\n`,
    );
    expect(reached, 'the plain call is refused there as well').not.toContain('the call itself');
    expect(reached).toContain('a batch of one');
    expect(reached.length).toBeGreaterThan(SMUGGLED.length / 4);
  },
  600_000,
);
