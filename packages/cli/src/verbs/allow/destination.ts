import { SublError } from '@subluminal/core-types';

/** A host as the operator wrote it, and the port if one was given. */
export interface Destination {
  readonly host: string;
  readonly port?: number;
}

/**
 * Reads `HOST[:PORT]`. Whether the host can stand on the allowlist is the gateway's to say
 * (`invalid_domain`); `usage` for what is not a host at all, such as a URL.
 */
export function parseDestination(text: string): Destination {
  if (text === '' || /[/?#@\s]/.test(text)) {
    throw new SublError('usage', `\`${text}\` is not a host`, {
      help: 'give the host alone, with a port if you want one: `api.example.com` or `api.example.com:8443`',
    });
  }
  const match = /^(\[[^\]]*\]|[^:]*)(?::([^:]*))?$/.exec(text);
  // Several colons without brackets are an IPv6 address.
  if (match === null) return { host: text };
  const [, host = '', port] = match;
  if (port === undefined) return { host };
  if (!/^[0-9]{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    throw new SublError('usage', `\`${port}\` is not a port`, { help: 'a port is a number from 1 to 65535' });
  }
  return { host, port: Number(port) };
}
