import { statSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { hasCode } from '@subluminal/ipc';

/**
 * Tells one state of `config.toml` from another without reading it. Throws `config_invalid` where it cannot
 * be looked at.
 */
export function fileVersion(path: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 'none';
    throw new SublError('config_invalid', 'config.toml cannot be read', { cause: error });
  }
}
