import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const KEYS = process.env['SUB_LONG'] === undefined ? 6000 : 30_000;

/** So many that a key's own garbage is collected again and again while its bytes are read. */
const MAKE_KEYS = `
  import { createPublicKey, generateKeyPairSync } from 'node:crypto';
  import { rawPublicKey } from '@subluminal/core-types';
  let bytes = 0;
  for (let made = 0; made < ${KEYS}; made += 1) {
    const { privateKey } = generateKeyPairSync('ed25519');
    bytes += rawPublicKey(createPublicKey(privateKey)).length;
  }
  process.stdout.write(String(bytes));
`;

it('reads the public half of a key that was just made, however often memory is cleaned up meanwhile', () => {
  const { stdout, signal } = spawnSync(
    process.execPath,
    ['--max-semi-space-size=1', '--input-type=module', '-e', MAKE_KEYS],
    { cwd: ROOT, encoding: 'utf8', timeout: 150_000 },
  );
  expect({ stdout, signal }).toEqual({ stdout: String(32 * KEYS), signal: null });
}, 180_000);
