/** What is watched. A `?` lets strace go on where the machine has no such call. */
export const WATCHED =
  'socket,connect,bind,listen,sendto,sendmsg,sendmmsg,?io_uring_setup,execve,?execveat,clone,clone3,?fork,?vfork';

/** A socket of the internet that a process made. */
export interface MadeSocket {
  readonly pid: number;
  readonly program: string;
  readonly family: string;
  readonly kind: string;
}

/** An address of the internet that a process connected a socket to, or sent something to. */
export interface Dial extends MadeSocket {
  /** Milliseconds of the epoch. */
  readonly at: number;
  readonly address: string;
  readonly port: number;
}

/** What a session did with the network. */
export interface Trace {
  /** Processes by the program that they ran last, every thread counted as its process. */
  readonly programs: ReadonlyMap<number, string>;
  readonly sockets: readonly MadeSocket[];
  readonly dials: readonly Dial[];
  /** Processes that opened an io_uring, by which sockets could be made unseen. */
  readonly rings: readonly number[];
}

interface Call {
  readonly thread: number;
  readonly at: number;
  readonly text: string;
}

/**
 * Reads what `strace -f -ttt` wrote of the calls of `WATCHED`. A socket belongs to the process of the thread
 * that made it, and to the program which that process ran at that moment; what has not called execve yet runs
 * what its parent runs.
 */
export function readTrace(log: string, nameOf: (argv: readonly string[]) => string): Trace {
  const calls = wholeCalls(log);
  const births = birthsOf(calls);
  const programs = new Map<number, string>();
  const kinds = new Map<string, { family: string; kind: string }>();
  const sockets: MadeSocket[] = [];
  const dials: Dial[] = [];
  const rings: number[] = [];
  const processOf = (thread: number): number => {
    const birth = births.get(thread);
    return birth?.isThread === true ? processOf(birth.parent) : thread;
  };
  const programOf = (pid: number): string => {
    const known = programs.get(pid);
    if (known !== undefined) return known;
    const parent = births.get(pid)?.parent;
    const inherited = parent === undefined ? 'unknown' : programOf(processOf(parent));
    programs.set(pid, inherited);
    return inherited;
  };
  for (const { thread, at, text } of calls) {
    const pid = processOf(thread);
    const program = programOf(pid);
    const name = text.slice(0, text.indexOf('('));
    const descriptor = /^\w+\((\d+)/.exec(text)?.[1] ?? '';
    if (/^execve(?:at)?$/.test(name)) {
      if (text.endsWith(' = 0')) programs.set(pid, nameOf(argumentsOf(text)));
    } else if (name === 'io_uring_setup') {
      if (!text.includes(' = -1 ')) rings.push(pid);
    } else if (name === 'socket') {
      const [, family = 'unreadable', kind = ''] = /^socket\((\w+), (\w+)/.exec(text) ?? [];
      const made = / = (\d+)$/.exec(text)?.[1];
      if (made !== undefined) kinds.set(`${pid}:${made}`, { family, kind });
      // Also what the system refused to make was tried.
      if (/^AF_INET6?$/.test(family)) sockets.push({ pid, program, family, kind });
    } else if (['connect', 'sendto', 'sendmsg', 'sendmmsg'].includes(name)) {
      const { kind = 'unknown' } = kinds.get(`${pid}:${descriptor}`) ?? {};
      for (const { family, address, port } of addressesIn(text))
        dials.push({ pid, program, family, kind, at, address, port });
    }
  }
  return { programs, sockets, dials, rings };
}

/** Every address of the internet that the text of a call names. */
function addressesIn(text: string): { family: string; address: string; port: number }[] {
  const four = /sa_family=AF_INET, sin_port=htons\((\d+)\), sin_addr=inet_addr\("([\d.]+)"\)/g;
  const six = /sa_family=AF_INET6, sin6_port=htons\((\d+)\),.*?inet_pton\(AF_INET6, "([\dA-Fa-f:.]+)"/g;
  const named = [
    ...[...text.matchAll(four)].map((found) => ['AF_INET', found] as const),
    ...[...text.matchAll(six)].map((found) => ['AF_INET6', found] as const),
  ];
  if (named.length === 0 && /sa_family=AF_INET/.test(text))
    throw new Error(`an address of the trace cannot be read: ${text}`);
  return named.map(([family, found]) => ({ family, address: found[2] ?? '', port: Number(found[1]) }));
}

/**
 * Lines as whole calls, at the moment of their begin: another thread's line may stand in the middle of one.
 */
function wholeCalls(log: string): Call[] {
  const open = new Map<number, Call>();
  const calls: Call[] = [];
  for (const line of log.split('\n')) {
    const match = /^(\d+) +(\d+\.\d+) (.*)$/.exec(line);
    if (match === null) continue;
    const [thread, at, text] = [Number(match[1]), Number(match[2]) * 1000, match[3] ?? ''];
    if (text.endsWith('<unfinished ...>')) {
      open.set(thread, { thread, at, text: text.slice(0, -'<unfinished ...>'.length) });
    } else if (text.startsWith('<... ')) {
      const begun = open.get(thread);
      open.delete(thread);
      const rest = text.slice(text.indexOf(' resumed>') + ' resumed>'.length);
      if (begun !== undefined) calls.push({ ...begun, text: `${begun.text}${rest}` });
    } else if (/^\w+\(/.test(text)) calls.push({ thread, at, text });
  }
  // A call that never came back was made all the same.
  return [...calls, ...open.values()].toSorted((one, other) => one.at - other.at);
}

function birthsOf(calls: readonly Call[]): Map<number, { parent: number; isThread: boolean }> {
  const births = new Map<number, { parent: number; isThread: boolean }>();
  for (const { thread, text } of calls) {
    const child = /^(?:clone3?|v?fork)\(.* = (\d+)$/.exec(text)?.[1];
    if (child === undefined) continue;
    if (births.has(Number(child))) throw new Error(`two processes of the trace have the number ${child}`);
    births.set(Number(child), { parent: thread, isThread: text.includes('CLONE_THREAD') });
  }
  return births;
}

/** The second argument of execve, an array of C strings. */
function argumentsOf(text: string): string[] {
  const list = /\[(.*)\], 0x/.exec(text)?.[1] ?? '';
  return [...list.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((found) => found[1] ?? '');
}
