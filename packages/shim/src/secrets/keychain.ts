import { SublError } from '@subluminal/core-types';

/** The keychain of the system. */
export function readKeychain(name: string): Promise<string | undefined> {
  return Promise.reject(
    new SublError(
      'not_available',
      `\`${name}\` cannot be read: this version asks no keychain of this system`,
      {
        help: 'put it into the gateway’s own store (`source = "store"`), or into a file that only you can read (`source = "file"`)',
      },
    ),
  );
}
