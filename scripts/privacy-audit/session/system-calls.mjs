// Reading what `strace -f -o FILE` wrote: which program made which socket.

/**
 * @typedef {{ program: string, family: string, call: string }} SocketCall
 * @typedef {{ started: Map<string, number>, sockets: SocketCall[], rings: string[] }} Trace
 */

/** The calls to trace. A `?` lets strace go on where the machine has no such call. */
export const TRACED = 'socket,connect,?io_uring_setup,execve,?execveat,clone,clone3,?fork,?vfork';

/**
 * Attributes every socket to the program that its process ran at that moment. A process that has not called
 * execve yet runs what its parent runs; threads count as their process.
 * @param {string} text the log of strace
 * @param {(argv: string[]) => string} nameOf what to call a program, from its arguments
 * @returns {Trace}
 */
export function readTrace(text, nameOf) {
  const calls = wholeCalls(text);
  const parents = parentsOf(calls);
  /** @type {Map<number, string>} */
  const running = new Map();
  /** @type {Trace} */
  const trace = { started: new Map(), sockets: [], rings: [] };
  /** @param {number} pid @returns {string} */
  const programOf = (pid) => {
    const known = running.get(pid);
    if (known !== undefined) return known;
    const parent = parents.get(pid);
    const inherited = parent === undefined ? 'unknown' : programOf(parent);
    running.set(pid, inherited);
    return inherited;
  };
  for (const { pid, call } of calls) {
    const program = programOf(pid);
    if (/^execve(?:at)?\(/.test(call) && call.endsWith(' = 0')) {
      const started = nameOf(argumentsOf(call));
      running.set(pid, started);
      trace.started.set(started, (trace.started.get(started) ?? 0) + 1);
    } else if (call.startsWith('socket(')) {
      trace.sockets.push({ program, family: /^socket\(([^,]+)/.exec(call)?.[1] ?? 'unreadable', call });
    } else if (call.startsWith('io_uring_setup(') && !call.includes(' = -1 ')) {
      trace.rings.push(program);
    }
  }
  return trace;
}

/**
 * Lines as whole calls: strace splits a call that another process interrupts into `<unfinished ...>` and
 * `resumed>`.
 * @param {string} text
 * @returns {{ pid: number, call: string }[]}
 */
function wholeCalls(text) {
  /** @type {Map<number, string>} */
  const open = new Map();
  /** @type {{ pid: number, call: string }[]} */
  const calls = [];
  for (const line of text.split('\n')) {
    const match = /^(\d+) +(.*)$/.exec(line);
    if (match === null) continue;
    const pid = Number(match[1]);
    const call = match[2] ?? '';
    if (call.endsWith('<unfinished ...>')) {
      open.set(pid, call.slice(0, -'<unfinished ...>'.length));
    } else if (call.startsWith('<... ')) {
      const end = call.indexOf(' resumed>');
      calls.push({ pid, call: `${open.get(pid) ?? ''}${call.slice(end + ' resumed>'.length)}` });
      open.delete(pid);
    } else calls.push({ pid, call });
  }
  return calls;
}

/** @param {{ pid: number, call: string }[]} calls @returns {Map<number, number>} */
function parentsOf(calls) {
  /** @type {Map<number, number>} */
  const parents = new Map();
  for (const { pid, call } of calls) {
    const child = /^(?:clone3?|v?fork)\(.*\) = (\d+)$/.exec(call)?.[1];
    if (child !== undefined) parents.set(Number(child), pid);
  }
  return parents;
}

/** The second argument of execve, an array of C strings. @param {string} call @returns {string[]} */
function argumentsOf(call) {
  const list = /\[(.*)\], 0x/.exec(call)?.[1] ?? '';
  return [...list.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((found) => (found[1] ?? '').replaceAll('\\"', '"'));
}
