import { dirname } from 'node:path';

/**
 * The variables of its client's environment that every MCP server gets: where programs, folders, languages
 * and proxies are, and whose run it is.
 */
const SAFE: ReadonlySet<string> = new Set([
  'PATH',
  'HOME',
  'LANG',
  'LANGUAGE',
  'TERM',
  'USER',
  'LOGNAME',
  'SHELL',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'ALL_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'all_proxy',
  'CLAUDE_PROJECT_DIR',
  'CODEX_HOME',
  'SUB_RUN_ID',
  'SUB_AGENT_ID',
  'SUB_ENV',
  'SUB_CLIENT',
  'SUB_PRINCIPAL',
]);

/** Without these hardly a program starts on Windows, whose names know no case. */
const SAFE_ON_WINDOWS: ReadonlySet<string> = new Set([
  'ALLUSERSPROFILE',
  'APPDATA',
  'COMMONPROGRAMFILES',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'USERDOMAIN',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]);

const SAFE_BEGINNINGS: readonly string[] = ['LC_', 'XDG_'];

/** Keys of a run: nobody but clients and shims uses them, whatever is asked for. */
const NEVER: ReadonlySet<string> = new Set(['SUB_HTTP_TOKEN', 'SUB_UPSTREAM_TOKEN']);

/** The variables that shells and terminals set for themselves: no server misses it. */
const NOISE: ReadonlySet<string> = new Set(['_', 'COLORTERM', 'LS_COLORS', 'OLDPWD', 'PWD', 'SHLVL']);

/** Hands everything on that a client had. */
const PASS_ALL = '*';

/** The sources of a server's environment. */
export interface EnvironmentSources {
  /** The client's environment, as the shim got it. */
  readonly client: Readonly<NodeJS.ProcessEnv>;
  /** Names of further variables that the server gets; `*`: all. */
  readonly pass: readonly string[];
  readonly platform: NodeJS.Platform;
}

/** The environment of an MCP server, and the names of what was held back. */
export interface UpstreamEnvironment {
  readonly env: NodeJS.ProcessEnv;
  readonly heldBack: readonly string[];
}

/**
 * The part of its client's environment that a server gets: a short list, and the names of `--pass`.
 * Credentials of the shell that an agent was started from are no business of each server that it uses.
 */
export function upstreamEnvironment({ client, pass, platform }: EnvironmentSources): UpstreamEnvironment {
  const windows = platform === 'win32';
  const spelt = (name: string): string => (windows ? name.toUpperCase() : name);
  const passed = new Set(pass.map(spelt));
  const env: NodeJS.ProcessEnv = {};
  const heldBack: string[] = [];
  for (const [name, value] of Object.entries(client)) {
    const known = spelt(name);
    if (NEVER.has(known)) continue;
    if (passed.has(PASS_ALL) || passed.has(known) || isSafe(known, windows)) env[name] = value;
    else if (!NOISE.has(name)) heldBack.push(name);
  }
  return { env, heldBack: heldBack.toSorted() };
}

/** Where programs are that come with a system. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
/** Labels of a run, language and terminal: nothing that a program finds code, certificates or services by. */
const HARMLESS: ReadonlySet<string> = new Set([
  'LANG',
  'LANGUAGE',
  'TERM',
  'TZ',
  'SUB_RUN_ID',
  'SUB_AGENT_ID',
  'SUB_ENV',
  'SUB_CLIENT',
  'SUB_PRINCIPAL',
]);

/** The sources of the environment of a server with secrets. */
export interface BoundSources {
  readonly client: Readonly<NodeJS.ProcessEnv>;
  /** The variables of its client's environment that its bindings let it have. */
  readonly pass: readonly string[];
  /** The program that is started, an absolute path. */
  readonly program: string;
  readonly account: { readonly username: string; readonly homedir: string };
  readonly secrets: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
}

/**
 * The environment of a server that gets secrets. The writer of its client's entry, a repository for one,
 * decides none of it but labels and the names of a binding: no `PATH` in which another program of the same
 * name lies, no proxy, no certificate.
 */
export function boundEnvironment(sources: BoundSources): UpstreamEnvironment {
  const { client, pass, program, account, secrets, platform } = sources;
  const windows = platform === 'win32';
  const env: NodeJS.ProcessEnv = {};
  const heldBack: string[] = [];
  for (const [name, value] of Object.entries(client)) {
    const known = windows ? name.toUpperCase() : name;
    if (NEVER.has(known) || Object.hasOwn(secrets, name)) continue;
    const isHarmless = HARMLESS.has(known) || known.startsWith('LC_');
    if (isHarmless || pass.includes(name) || (windows && SAFE_ON_WINDOWS.has(known))) env[name] = value;
    else if (!NOISE.has(name)) heldBack.push(name);
  }
  const folder = dirname(program);
  const own = windows
    ? { PATH: `${folder};C:\\Windows\\System32;C:\\Windows` }
    : {
        PATH: `${folder}:${SYSTEM_PATH}`,
        HOME: account.homedir,
        USER: account.username,
        LOGNAME: account.username,
      };
  const chosen = Object.fromEntries(Object.entries(own).filter(([name]) => !Object.hasOwn(env, name)));
  return { env: { ...env, ...chosen, ...secrets }, heldBack: heldBack.toSorted() };
}

function isSafe(name: string, windows: boolean): boolean {
  if (SAFE.has(name) || SAFE_BEGINNINGS.some((beginning) => name.startsWith(beginning))) return true;
  return windows && SAFE_ON_WINDOWS.has(name);
}

const MAX_NAMES = 24;
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * One line for whoever wonders why a server does not start: which variables its client has and it did not
 * get. Names alone, never values; undefined when nothing was held back.
 */
export function heldBackText(names: readonly string[]): string | undefined {
  const plain = names.filter((name) => PLAIN_NAME.test(name));
  if (plain.length === 0) return undefined;
  const shown = plain.slice(0, MAX_NAMES).join(', ');
  const more = plain.length > MAX_NAMES ? ` and ${plain.length - MAX_NAMES} more` : '';
  return `the server was not given these variables of its client: ${shown}${more} (\`--pass NAME\` before \`--\` hands one on)`;
}
