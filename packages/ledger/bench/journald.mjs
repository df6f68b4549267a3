import { openDatabase } from '../dist/sqlite/open.js';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';

const WRITER = '/lib/systemd/systemd-journal-remote';

/**
 * Writes the bodies of a ledger as entries of sealed journal files, as systemd's own tool for that does, and
 * returns a function that verifies them with their key. A text instead says why that cannot be done here.
 */
export async function sealedJournal(folder, ledgerPath, rows) {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'sealing keys can be set up by root only';
  if (!existsSync(WRITER)) return `there is no ${WRITER} (package systemd-journal-remote)`;
  if (!existsSync('/etc/machine-id')) return 'this machine has no /etc/machine-id';
  const keys = join('/var/log/journal', readFileSync('/etc/machine-id', 'utf8').trim());
  if (existsSync(join(keys, 'fss'))) return 'this machine seals its own journal, and its key is not touched';
  const isOurs = !existsSync(keys);
  mkdirSync(keys, { recursive: true });
  try {
    const made = spawnSync('journalctl', ['--setup-keys', '--interval=10s'], { encoding: 'utf8' });
    const [key] = /[0-9a-f-]+\/[0-9a-f]+-[0-9a-f]+/.exec(made.stdout) ?? [];
    if (key === undefined) return `journalctl made no key: ${made.stderr.trim()}`;
    const journal = join(folder, 'journal');
    mkdirSync(journal);
    const status = await write(journal, ledgerPath, rows);
    if (status !== 0) return `${WRITER} ended with ${status}`;
    return () => {
      const checked = spawnSync('journalctl', ['--verify', `--verify-key=${key}`, '-D', journal], {
        stdio: ['ignore', 'ignore', 'pipe'],
        encoding: 'utf8',
      });
      if (checked.status !== 0) throw new Error(`journalctl --verify: ${checked.stderr.slice(-400)}`);
    };
  } finally {
    rmSync(isOurs ? keys : join(keys, 'fss'), { recursive: true, force: true });
  }
}

async function write(journal, ledgerPath, rows) {
  const db = openDatabase(ledgerPath, { readonly: true });
  const writer = spawn(WRITER, ['--seal=yes', '-o', join(journal, 'bench.journal'), '-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(writer, 'exit');
  const page = db.prepare('SELECT seq, body FROM entry WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT 1000');
  const now = Date.now() * 1000;
  for (let after = 0; after < rows;) {
    const lines = page
      .all(after, rows)
      .map(
        ({ seq, body }) =>
          `__REALTIME_TIMESTAMP=${now + seq}\n__MONOTONIC_TIMESTAMP=${seq}\n` +
          `_BOOT_ID=0123456789abcdef0123456789abcdef\nMESSAGE=${body}\n\n`,
      );
    after += 1000;
    if (!writer.stdin.write(lines.join(''))) await once(writer.stdin, 'drain');
  }
  writer.stdin.end();
  db.close();
  const [status] = await ended;
  return status;
}
