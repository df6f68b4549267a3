import * as z from 'zod';
import { Label, Sha256Hex } from '../json.js';
import { SecretUrl } from '../../secrets/header.js';
import { SecretHost, SecretInject, SecretName, SecretSource } from '../secret-binding.js';

/**
 * The ledger has the hash of every payload: next to random text it tells nothing of a value that could be
 * guessed.
 */
const Salt = z.string().regex(/^[A-Za-z0-9_-]{22,64}$/);
const Value = z.string().min(1).max(32_768);
const Token = z.string().regex(/^[A-Za-z0-9_-]{21,64}$/);
const Variable = z.string().min(1).max(128);

/** `secrets.add`: puts a value into the gateway's store, or (`replace`) another one in its place. */
export const SecretsAddPayload = z.strictObject({
  name: SecretName,
  value: Value,
  salt: Salt,
  replace: z.boolean().default(false),
});

/** `secrets.remove` and `secrets.reveal`. */
export const SecretsNamePayload = z.strictObject({ name: SecretName });

/** `secrets.kept`: the command line changes a secret of the keychain; the record learns it. */
export const SecretsKeptPayload = z.strictObject({
  change: z.enum(['added', 'replaced', 'removed']),
  name: SecretName,
});

/** `secrets.bound`: a binding of `config.toml` was written or taken out; the record learns it. */
export const SecretsBoundPayload = z.strictObject({
  change: z.enum(['bound', 'unbound']),
  server_name: Label,
  inject_as: Variable,
  secret_ref: z.string().min(1).max(4096),
  source: SecretSource,
  redact: z.boolean(),
  /** Absent: a variable. */
  inject: SecretInject.optional(),
  hosts: z.array(SecretHost).max(16).optional(),
  /** Of `header`, without what stands behind the question mark. */
  url: SecretUrl.optional(),
  /** Of `header`: of `mcp_http` and the whole URL. */
  argv_hash: Sha256Hex,
});

/**
 * `secrets.release`: a shim is about to start the server that it announced by `upstream.begin`. The answer is
 * a `SecretsReleased`.
 */
export const SecretsReleasePayload = z.strictObject({
  shim_id: Label,
  token: Token,
  server_name: Label,
  argv_hash: Sha256Hex,
  /** The variables of its client's environment that the shim was told to hand on. */
  pass: z.array(z.string().max(256)).max(256),
});

/** The command, environment and secrets with which a server may be started. */
export const SecretsReleased = z.object({
  secrets: z.array(
    z.object({
      inject_as: z.string(),
      secret_ref: z.string(),
      source: SecretSource,
      redact: z.boolean(),
      /** Absent for what the shim reads itself: `env` and `keychain`. For `egress` a placeholder. */
      value: z.string().optional(),
    }),
  ),
  /** Absent where there are no secrets. */
  program: z.string().optional(),
  pass: z.array(z.string()).optional(),
  /**
   * Files of certificates, where the gateway puts secrets in: `own` has its authorities alone, `bundle` all
   * that is trusted.
   */
  trust: z.object({ bundle: z.string(), own: z.string() }).optional(),
});
export type SecretsReleased = z.infer<typeof SecretsReleased>;

/**
 * `secrets.injected`: what became of the secrets that a shim reads itself; no value: it was not there.
 * `secrets.held`: what the server of a shim has, told to a gateway that may have been started since, so that
 * it keeps these values out of the record.
 */
export const SecretsInjectedPayload = z.strictObject({
  shim_id: Label,
  token: Token,
  salt: Salt,
  values: z.array(z.strictObject({ inject_as: Variable, value: Value.optional() })).max(256),
});
