import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ENROL_TOKEN_PREFIX, SublError } from '@subluminal/core-types';
import { isMissing } from '@subluminal/ipc';
import type { OwnFile, Toolchain } from '@subluminal/worlds';

/** The folders that a client's files are looked for in, and shown in. */
export interface Homes {
  /** The user's home, as the client finds it outside. */
  readonly outside: string;
  /** The home in a world. */
  readonly inside: string;
  readonly project: string;
}

/** The part of a client's own configuration that goes into a world, and how the client behaves there. */
export interface ClientHome {
  /** Folders of its own. */
  readonly folders: readonly string[];
  /** Its settings, without what may be a secret. It may write them: nothing of that leaves the world. */
  readonly files: readonly OwnFile[];
  /** Files and folders that it reads. */
  readonly shown: readonly Toolchain[];
  readonly env: Readonly<Record<string, string>>;
  /** Words that stand before its own. */
  readonly words: readonly string[];
  /** Files of logins, which stay outside unless the operator names them. */
  readonly logins: readonly string[];
  /** Names of what was left out. */
  readonly leftOut: readonly string[];
  /** Whether it would have put a sandbox of its own around its commands, which a world does not allow. */
  readonly hadSandbox: boolean;
}

/** The text without the token by which programs outside ask: inside everybody is known by the door. */
export function withoutToken(text: string): string {
  return text.replaceAll(TOKEN, 'world');
}

const TOKEN = new RegExp(`${ENROL_TOKEN_PREFIX}[A-Za-z0-9_-]{1,256}`, 'g');

/** Folders and files of these names that are there. A link may lead anywhere, so none is followed. */
export function shownIn(folder: string, inside: string, names: readonly string[]): readonly Toolchain[] {
  return names.flatMap((name) => {
    const source = realOrNothing(join(folder, name));
    return source === undefined ? [] : [{ path: join(inside, name), source }];
  });
}

function realOrNothing(path: string): string | undefined {
  try {
    if (lstatSync(path).isSymbolicLink()) return undefined;
    return realpathSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** An object with those of its members that are named. */
export function only(
  table: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).filter(([name]) => names.includes(name)));
}

/** A value as an object; empty where it is none. */
export function tableOf(value: unknown): Readonly<Record<string, unknown>> {
  return isTable(value) ? value : {};
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The servers of a client: variables go along if they are named, and no header does but ours. `headers` is
 * the member that holds them.
 */
export function serversOf(
  value: unknown,
  { headers, pass }: { readonly headers: string; readonly pass: readonly string[] },
): { readonly servers: Record<string, unknown>; readonly leftOut: readonly string[] } {
  const leftOut: string[] = [];
  const keep = (server: string, member: unknown, isKept: (name: string) => boolean): object =>
    Object.fromEntries(
      Object.entries(tableOf(member)).filter(([name]) => {
        if (isKept(name)) return true;
        leftOut.push(`\`${name}\` of \`${server}\``);
        return false;
      }),
    );
  const servers = Object.entries(tableOf(value)).map(([name, server]) => {
    const { env, [headers]: sent, ...rest } = tableOf(server);
    return [
      name,
      {
        ...only(rest, SERVER_MEMBERS),
        ...(env === undefined ? {} : { env: keep(name, env, (variable) => pass.includes(variable)) }),
        ...(sent === undefined ? {} : { [headers]: keep(name, sent, (header) => OURS.test(header)) }),
      },
    ];
  });
  return { servers: Object.fromEntries(servers), leftOut };
}

const OURS = /^subluminal-/i;
/** The members by which a server is started or reached, in both clients. */
const SERVER_MEMBERS = [
  'args',
  'command',
  'cwd',
  'disabled_tools',
  'enabled',
  'enabled_tools',
  'env_http_headers',
  'env_vars',
  'required',
  'startup_timeout_ms',
  'startup_timeout_sec',
  'supports_parallel_tool_calls',
  'timeout',
  'tool_timeout_sec',
  'tools',
  'type',
  'url',
];

/** An error for a configuration that cannot be read: without it a client would go on unguarded. */
export function unreadable(path: string, cause: unknown): SublError {
  return new SublError(
    'config_invalid',
    `\`${path}\` cannot be read, so the client in the world would lack it`,
    {
      cause,
      help: 'correct the file, or move it away',
    },
  );
}
