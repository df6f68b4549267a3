import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { writePrivateFile } from '@subluminal/gateway';

/**
 * The Ed25519 key that signs the ledger's heads, in a file of its own (`keys/log`, PKCS 8): a deleted key
 * would stay readable in a database's log. It is created only where there is no ledger yet.
 *
 * @throws SublError `key_missing` when a ledger exists without its key, or the file holds no Ed25519 key.
 */
export function loadSigningKey(path: string, options: { readonly create: boolean }): KeyObject {
  if (!existsSync(path)) {
    if (!options.create) {
      throw new SublError('key_missing', `there is a ledger, but not its signing key \`${path}\``, {
        help: 'restore the key from a backup; a new key cannot continue the ledger',
      });
    }
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    writePrivateFile(path, pem.toString(), { exclusive: true });
  }
  return readKey(path);
}

function readKey(path: string): KeyObject {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path));
  } catch (cause) {
    throw new SublError('key_missing', `\`${path}\` does not hold a signing key`, { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new SublError('key_missing', `\`${path}\` holds a key of another kind than Ed25519`);
  }
  return key;
}
