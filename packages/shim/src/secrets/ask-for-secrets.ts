import { randomBytes } from 'node:crypto';
import {
  errorOf,
  type ActionResponse,
  secretProblem,
  type SecretsReleased,
  SublError,
} from '@subluminal/core-types';
import { type HeldSecret, type ServerSecrets } from '@subluminal/mcp';
import { releasedOf } from './released-shape.js';

/** Sends one request to the gateway. */
export type Ask = (action: string, payload: unknown) => Promise<ActionResponse>;

/** The server that is about to be started, as it was announced by `upstream.begin`. */
export interface Starting {
  readonly shimId: string;
  readonly token: string;
  readonly serverName: string;
  readonly argvHash: string;
  /** The variables that `--pass` names. */
  readonly pass: readonly string[];
}

/** Where a shim reads what the gateway cannot. */
export interface OwnSources {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /**
   * The value of a name in the system's keychain, undefined for none. Throws `not_available` where there is
   * no keychain.
   */
  readonly keychain: (name: string) => Promise<string | undefined>;
}

/** The command and environment of a server; `program` is undefined for one without secrets. */
export interface Released {
  readonly held: readonly HeldSecret[];
  readonly program: string | undefined;
  readonly pass: readonly string[];
  /** Certificate files that the server has to trust, if the gateway puts secrets into its connections. */
  readonly trust: SecretsReleased['trust'];
}

/**
 * The secrets of a server. Throws the gateway's refusal (`secret_refused`, `secret_missing`, …), and
 * `secret_missing` for one that this process reads itself and that is not there: a server is never started
 * without one of its secrets.
 */
export async function askForSecrets(ask: Ask, starting: Starting, own: OwnSources): Promise<Released> {
  const { shimId: shim_id, token } = starting;
  const answer = await ask('secrets.release', {
    shim_id,
    token,
    server_name: starting.serverName,
    argv_hash: starting.argvHash,
    pass: [...new Set(starting.pass)],
  });
  if (answer.status !== 'success') throw errorOf(answer);
  const released = releasedOf(answer.data);
  if (released === undefined)
    throw new SublError('secret_missing', 'the gateway did not say which secrets there are');
  const { secrets, program, pass = [], trust } = released;
  const values = await Promise.all(
    secrets.map(async ({ value, ...facts }) => ({
      ...facts,
      value: value ?? (await ownValue(facts, own)),
      isOwn: value === undefined,
    })),
  );
  const ours = values.filter(({ isOwn }) => isOwn);
  if (ours.length > 0) {
    const reported = await ask('secrets.injected', heldPayload(starting, ours));
    if (reported.status !== 'success') throw errorOf(reported);
  }
  const held = values.map(({ inject_as: name, value, redact, secret_ref, source }) => {
    if (value !== undefined) return { name, value, redact };
    throw new SublError('secret_missing', `there is no \`${secret_ref}\` for \`${name}\` (${source})`, {
      help:
        source === 'env'
          ? 'set it where the client is started, or in the `env` of its entry; it has at least 8 characters'
          : 'put it into the keychain of this user',
    });
  });
  return { held, program, pass, trust };
}

/** A gateway that was started since must not record them either: throws where it does not take them in. */
export async function tellOfSecrets(
  ask: Ask,
  server: Pick<Starting, 'shimId' | 'token'>,
  secrets: ServerSecrets,
): Promise<void> {
  if (secrets.told.length === 0) return;
  const values = secrets.told.map(({ name, value }) => ({ inject_as: name, value }));
  const answer = await ask('secrets.held', heldPayload(server, values));
  if (answer.status !== 'success') throw errorOf(answer);
}

function heldPayload(
  { shimId: shim_id, token }: Pick<Starting, 'shimId' | 'token'>,
  values: readonly { readonly inject_as: string; readonly value: string | undefined }[],
): unknown {
  const salt = randomBytes(18).toString('base64url');
  return {
    shim_id,
    token,
    salt,
    values: values.map(({ inject_as, value }) =>
      value === undefined ? { inject_as } : { inject_as, value },
    ),
  };
}

/** A value that this process reads; one that cannot be a secret is not there. */
async function ownValue(
  { secret_ref: name, source, redact }: SecretsReleased['secrets'][number],
  { env, keychain }: OwnSources,
): Promise<string | undefined> {
  const value = source === 'env' ? env[name] : await keychain(name);
  return value !== undefined && secretProblem(value, { redact }) === undefined ? value : undefined;
}
