import { SublError } from '@subluminal/core-types';

/** An access URL, taken apart: where to ask, and as whom. */
export interface Access {
  readonly origin: string;
  /** The path that `/accounts` is added to. */
  readonly path: string;
  readonly user: string;
  readonly password: string;
}

/**
 * Reads an access URL of SimpleFIN: `https://USER:PASSWORD@HOST/PATH`.
 *
 * @throws SublError `invalid_request`; the message never repeats the URL, which is a secret.
 */
export function readAccessUrl(text: string): Access {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:' || url.username === '' || url.password === '')
    throw new SublError('invalid_request', 'this is no access URL of SimpleFIN', {
      help: 'it looks like `https://USER:PASSWORD@HOST/PATH`; a setup token has to be claimed first',
    });
  return {
    origin: url.origin,
    path: url.pathname.replace(/\/$/, ''),
    user: decoded(url.username),
    password: decoded(url.password),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
