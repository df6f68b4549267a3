import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { canonicalize } from '@subluminal/core-types';

const MAX_BYTES = 1 << 20;

/**
 * Where anchors stand, remembered beside heads.log: a ledger that was put back behind its `anchored` entries
 * does not know of them any more. One JSON object a line, each place once.
 */
export function rememberTarget(
  headsLog: string,
  anchor: { readonly kind: string; readonly target: string },
): void {
  const path = `${headsLog}.anchors`;
  const line = canonicalize({ kind: anchor.kind, target: anchor.target });
  const known = existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (known.length > MAX_BYTES || known.split('\n').includes(line)) return;
  // A crash may have left part of a line: it must not swallow this one.
  const gap = known === '' || known.endsWith('\n') ? '' : '\n';
  const handle = openSync(path, 'a', 0o600);
  try {
    appendFileSync(handle, `${gap}${line}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
