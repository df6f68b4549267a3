import type { SecretsReleased } from '@subluminal/core-types';

/** Variables that name one file with all that is trusted. */
const IN_PLACE_OF_ALL = [
  // OpenSSL and what is built on it (Python, Ruby, PHP), Go, rustls-native-certs, uv
  'SSL_CERT_FILE',
  'CURL_CA_BUNDLE',
  // Python's requests
  'REQUESTS_CA_BUNDLE',
  'PIP_CERT',
  'HTTPLIB2_CA_CERTS',
  'AWS_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'CARGO_HTTP_CAINFO',
  'npm_config_cafile',
  'GRPC_DEFAULT_SSL_ROOTS_FILE_PATH',
  'NIX_SSL_CERT_FILE',
] as const;

/** Variables whose file is trusted besides the program's own. */
const BESIDES = ['NODE_EXTRA_CA_CERTS', 'DENO_CERT'] as const;

/**
 * The variables by which a server trusts the gateway where that puts secrets in; none where it has no such
 * secret.
 */
export function trustVariables(trust: SecretsReleased['trust']): Readonly<Record<string, string>> {
  if (trust === undefined) return {};
  return Object.fromEntries([
    ...IN_PLACE_OF_ALL.map((name) => [name, trust.bundle]),
    ...BESIDES.map((name) => [name, trust.own]),
  ]);
}
