import { posix, win32 } from 'node:path';
import type { Routing, ServerEntry } from './client.js';

/**
 * An entry that is routed: the server and the home that it names, and where the server's own command begins.
 */
export interface Ours {
  readonly server: string;
  readonly home: string | undefined;
  /** The index in `args` of the server's own command; its arguments follow. */
  readonly commandAt: number;
}

/** The headers that a routed remote entry has besides its own. */
export const UPSTREAM_HEADER = 'Subluminal-Upstream';
export const TOKEN_HEADER = 'Subluminal-Token';

/**
 * The options of node that `sub` gives itself where a shell starts it: a shim stands beside every server, so
 * it is kept small.
 */
const NODE_OPTIONS = ['--max-semi-space-size=2', '--single-threaded-gc', '--heap-growing-percent=50'];

/** The words before the server's own command: `args` of a routed entry, up to the `--`. */
export function shimArgs(entry: ServerEntry, how: Routing): readonly string[] {
  const pass = new Set([...entry.envKeys, ...how.pass(entry)]);
  return [
    ...(how.program === undefined ? [] : [...NODE_OPTIONS, how.program]),
    'shim',
    'stdio',
    '--server',
    entry.name,
    '--home',
    how.home,
    ...[...pass].flatMap((name) => ['--pass', name]),
    '--',
  ];
}

/** Knows a routed entry by its command line: a `sub` with `shim stdio --server` before the first `--`. */
export function readOurs(command: string, args: readonly string[]): Ours | undefined {
  const dashes = args.indexOf('--');
  const verb = args.indexOf('shim');
  if (verb === -1 || dashes <= verb || args[verb + 1] !== 'stdio' || args[verb + 2] !== '--server') {
    return undefined;
  }
  const server = args[verb + 3];
  if (!isSub(args[verb - 1] ?? command) || server === undefined || verb + 3 >= dashes) return undefined;
  if (dashes + 1 >= args.length) return undefined;
  const home = args.indexOf('--home', verb);
  return {
    server,
    home: home !== -1 && home + 1 < dashes ? args[home + 1] : undefined,
    commandAt: dashes + 1,
  };
}

/**
 * Whether a routed entry names a `node` or a `sub`, by its whole path, that is not ours: one was installed
 * elsewhere since.
 */
export function isOutdated({ kind, command, args, home }: ServerEntry, how: Routing): boolean {
  if (kind !== 'ours' || command === undefined || args === undefined || home !== how.home) return false;
  const program = args[args.indexOf('shim') - 1];
  if (program === undefined || !isWhole(command) || !isWhole(program)) return false;
  return command !== how.node || program !== how.program;
}

/**
 * Why an entry that has the form of a routed one is not known to start `sub` on the home that it names,
 * undefined where it is. Whoever writes a project's file can give what he likes the name `sub`, put something
 * before it, or name a second home behind the first.
 */
export function oddStart({ command = '', args = [], envKeys }: ServerEntry): string | undefined {
  const verb = args.indexOf('shim');
  const [program, ...options] = args.slice(0, Math.max(0, verb)).toReversed();
  const isOwn = program === undefined ? isSub(command) : isNode(command) && isSub(program);
  if (!isOwn || options.some((option) => !NODE_OPTIONS.includes(option)))
    return 'it starts something else than `sub`, or something before it';
  const isFound = program === undefined ? isBare(command) || isWhole(command) : isWhole(program);
  if (!isFound || !(isBare(command) || isWhole(command)))
    return 'it starts `sub` by a path that depends on the folder it is started in';
  if (isBare(command) && envKeys.some((key) => key.toUpperCase() === 'PATH'))
    return 'it looks for its command in a `PATH` of its own';
  return hasPlainFlags(args.slice(verb + 2, args.indexOf('--')))
    ? undefined
    : 'it gives `sub` other flags than an import writes';
}

/**
 * Variables by which what starts a program has it load code of theirs; they act on the shim as on every
 * program.
 */
const LOADING: ReadonlySet<string> = new Set([
  'NODE_OPTIONS',
  'LD_PRELOAD',
  'LD_LIBRARY_PATH',
  'LD_AUDIT',
  'DYLD_INSERT_LIBRARIES',
]);

/** The first variable of an entry that can have code of others run in its shim. */
export function loadingVariable({ envKeys }: ServerEntry): string | undefined {
  return envKeys.find((key) => LOADING.has(key));
}

/** One server, at most one home, and what is passed on, each with its value behind it. */
function hasPlainFlags(flags: readonly string[]): boolean {
  const names = flags.filter((_, index) => index % 2 === 0);
  const isKnown = names.every((name) => ['--server', '--home', '--pass'].includes(name));
  const once = ['--server', '--home'].every((flag) => names.filter((name) => name === flag).length <= 1);
  return flags.length % 2 === 0 && isKnown && once;
}

function isNode(command: string): boolean {
  return /(?:^|[/\\])node(?:js)?[0-9.-]{0,16}(?:\.exe)?$/i.test(command);
}

function isBare(command: string): boolean {
  return !/[/\\]/.test(command);
}

function isWhole(path: string): boolean {
  return posix.isAbsolute(path) || win32.isAbsolute(path);
}

/** The address that a routed remote entry names in place of its own. */
export function routedUrl(port: number, name: string): string {
  return `http://127.0.0.1:${port}/mcp/${encodeURIComponent(name)}`;
}

/** Whether an address is one that `routedUrl` writes. */
export function isRoutedUrl(url: string): boolean {
  return /^http:\/\/127\.0\.0\.1:[0-9]{1,5}\/mcp\/[^/?#]+$/.test(url);
}

/**
 * Why nothing that we would write into this entry comes back from the client as it is, undefined where all
 * does: clients put values of variables in the place of `$…` and `{env:…}` in what we write too.
 */
export function unwritable(entry: ServerEntry, how: Routing): string | undefined {
  for (const [what, text] of [
    ['its name', entry.name],
    ['the path of node', how.node],
    ['the path of `sub`', how.program ?? ''],
    ['the path of the home', how.home],
  ] as const) {
    if (/[$\p{Cc}\p{Cs}]|\{env:/u.test(text)) return `${what} has characters that the client would replace`;
  }
  // Nobody could write such a pointer down.
  if (entry.pointer.some((key) => /\p{Cs}/u.test(key))) return 'its place has characters that are none';
  // `--pass '*'` would hand everything on.
  const odd = [...entry.envKeys, ...how.pass(entry)].find((key) => key === '*' || key.startsWith('-'));
  if (odd !== undefined) return `\`${odd}\` is no name of a variable that could be passed on`;
  return ['', '.', '..'].includes(entry.name) ? 'its name is not one that an address can hold' : undefined;
}

/** Whether a command is the launcher of the home that its words name. */
export function isLauncher(command: unknown, args: readonly unknown[]): boolean {
  const at = args.indexOf('--home');
  return at !== -1 && command === `${String(args[at + 1])}/sub`;
}

function isSub(program: string): boolean {
  const name = program.split(/[/\\]/).at(-1);
  return name === 'sub.mjs' || name === 'sub';
}
