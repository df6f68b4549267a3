import { canonicalize, sha256Hex } from '@subluminal/core-types';

/** Names a server and its command line; neither stands in `gateway.db` as it came. */
export function aboutHash(serverName: string, argv: string): string {
  return sha256Hex(canonicalize([serverName, argv]));
}
