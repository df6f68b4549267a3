import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import {
  canonicalize,
  type CommandBinding,
  isHeaderBinding,
  type SecretBinding,
  sha256Hex,
  SublError,
} from '@subluminal/core-types';
import type { ConfigFile } from '../config/form.js';
import { loadConfig, requireConfig } from '../config/load.js';

/** Where a program is looked up that a binding only has the name of: never in a `PATH` of the client. */
const SYSTEM_FOLDERS: readonly string[] = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/opt/homebrew/bin',
];

/** The server that is about to be started. */
export interface Announced {
  readonly server_name: string;
  readonly argv_hash: string;
  /** What it would be handed of its client's environment. */
  readonly pass: readonly string[];
}

/** What a server may have. */
export interface Granted {
  readonly bindings: readonly CommandBinding[];
  /** The program to start; undefined where there are no secrets. */
  readonly program: string | undefined;
  readonly pass: readonly string[];
}

/**
 * What `config.toml` binds to a server, as it stands now.
 *
 * @throws SublError `config_invalid` and `not_available` where it cannot be read, `secret_refused` where the
 * server has secrets and is not started as it was bound.
 */
export function grantedTo(config: ConfigFile, announced: Announced): Granted {
  const all = requireConfig(loadConfig(config)).secret_bindings ?? [];
  const ofServer = all.filter(isStarted).filter(({ server_name: name }) => name === announced.server_name);
  if (ofServer.length === 0) return { bindings: [], program: undefined, pass: [] };
  const bindings = ofServer.filter(({ command }) => argvHash(command) === announced.argv_hash);
  const [first] = bindings;
  if (first === undefined) {
    throw refused(
      `\`${announced.server_name}\` has secrets, and this is not the command line that they are bound to`,
      'compare it, word by word, with `command` of its `[[secret_bindings]]` in config.toml',
    );
  }
  const pass = bindings.flatMap((binding) => binding.pass);
  const own = new Set([...pass, ...bindings.map(({ inject_as: name }) => name)]);
  const more = announced.pass.filter((name) => !own.has(name));
  if (more.length > 0) {
    throw refused(
      `\`${announced.server_name}\` has secrets, and would be handed \`${more.slice(0, 8).join('`, `')}\` of its client, which its bindings do not name`,
      'whoever sets such a variable could have the secret sent elsewhere: name it in `pass` of the binding if that is meant',
    );
  }
  return { bindings, program: first.program ?? found(first.command[0]), pass };
}

/** A remote server is not started, whoever has its name. */
export function isStarted(binding: SecretBinding): binding is CommandBinding {
  return !isHeaderBinding(binding);
}

/** How command lines are compared: every word of them. */
export function argvHash(command: readonly string[]): string {
  return sha256Hex(canonicalize([...command]));
}

function found(program: string): string {
  if (isAbsolute(program)) return program;
  const path = SYSTEM_FOLDERS.map((folder) => join(folder, program)).find(isExecutable);
  if (path !== undefined) return path;
  throw refused(
    `the program \`${program}\` is in none of the system's folders`,
    'write its absolute path as `program` of the binding',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function refused(message: string, help: string): SublError {
  return new SublError('secret_refused', message, { help });
}
