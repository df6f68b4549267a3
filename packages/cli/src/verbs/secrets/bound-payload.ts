import {
  canonicalize,
  isHeaderBinding,
  type JsonObject,
  type SecretBinding,
  sha256Hex,
} from '@subluminal/core-types';

/** The facts of a binding for the record. A URL goes without its query, which may be a secret. */
export function boundPayload(change: 'bound' | 'unbound', binding: SecretBinding): JsonObject {
  const { server_name, inject_as, secret_ref, source, redact, inject } = binding;
  const facts = { change, server_name, inject_as, secret_ref, source, redact };
  if (isHeaderBinding(binding)) {
    const { url } = binding;
    return { ...facts, inject, url: url.split('?', 1)[0] ?? '', argv_hash: hashOf(['mcp_http', url]) };
  }
  const { hosts = [], command } = binding;
  const where = inject === 'egress' ? { inject, hosts: [...hosts] } : {};
  return { ...facts, ...where, argv_hash: hashOf(command) };
}

function hashOf(command: readonly string[]): string {
  return sha256Hex(canonicalize([...command]));
}
