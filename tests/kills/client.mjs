/**
 * An agent's client: some shims, some calls in flight on each, without end. Every answer is written to a file
 * before anything else happens, so that what this client was told outlives it. A shim that ends is started
 * again, as clients do.
 *
 * Told over IPC: `{settle}` (answer once every shim has carried out a call that was asked after it), `{kill,
 * at, shim}` (end those processes at that moment of a call on that shim) and `{stop}`.
 */
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const { epoch, shims, inFlight, pauseMs, command, answers } = JSON.parse(process.argv[2]);
let count = 0;
const life = { over: false };
/** What to end at which moment: `asked`, `executed` or `answered`. */
let order;
const waiting = new Set();

process.on('message', (message) => {
  if (message.settle) settle();
  if (message.kill) {
    order = message;
    if (order.at === 'asked') askAndKill();
  }
  if (message.stop) stop();
});

const sessions = Array.from({ length: shims }, (_, n) => ({
  n,
  child: undefined,
  pending: new Map(),
  asked: 0,
  done: 0,
}));
for (const session of sessions) void keep(session);

/** Runs one shim after the other, forever. */
async function keep(session) {
  while (!life.over) {
    await live(session);
    for (const { resolve } of session.pending.values()) resolve();
    session.pending.clear();
    await pause(30);
  }
}

async function live(session) {
  const child = spawn(command[session.n][0], command[session.n].slice(1), {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => {});
  session.child = child;
  const gone = new Promise((resolve) => child.once('close', resolve));
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(session, JSON.parse(line));
  });
  write(session, {
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'kills', version: '1' } },
  });
  const ready = new Promise((resolve) => session.pending.set('init', { resolve }));
  await Promise.race([gone, ready]);
  process.send?.({ shim: session.n, pid: child.pid });
  const workers = Array.from({ length: inFlight }, () => work(session, child));
  await gone;
  await Promise.race([Promise.all(workers), pause(1000)]);
}

async function work(session, child) {
  while (!life.over && child.exitCode === null && child.signalCode === null) {
    const answer = await call(session);
    const isAway = answer?.error?.data?.subluminal?.reason_code === 'GATEWAY_UNREACHABLE';
    const rest = isAway ? 25 : pauseMs;
    if (rest > 0) await pause(rest);
  }
}

function call(session) {
  count += 1;
  const n = `${epoch}-${count}`;
  const args = { n };
  if (order?.at === 'executed' && order.shim === session.n) {
    args.kill = order.kill;
    order = undefined;
  }
  session.asked += 1;
  const turn = session.asked;
  const name = count % 10 === 0 && args.kill === undefined ? 'forbidden' : 'do';
  return new Promise((resolve) => {
    session.pending.set(n, { resolve, args, turn });
    write(session, { id: n, method: 'tools/call', params: { name, arguments: args } });
  });
}

function take(session, message) {
  const known = session.pending.get(message.id);
  if (known === undefined) throw new Error(`an answer nobody asked for: ${JSON.stringify(message)}`);
  session.pending.delete(message.id);
  if (known.args !== undefined) {
    appendFileSync(answers, `${JSON.stringify({ args: known.args, ...outcome(message) })}\n`);
    if (order?.at === 'answered') carryOut();
    if (message.result !== undefined) {
      session.done = Math.max(session.done, known.turn);
      for (const wait of waiting) wait();
    }
  }
  known.resolve(message);
}

function outcome({ result, error }) {
  if (result !== undefined) return { told: 'result' };
  const refusal = error.data?.subluminal;
  return { told: refusal?.reason_code ?? `error ${error.code}`, ref: refusal?.audit_ref };
}

/** Eight more calls leave at once, and what was ordered is ended before one of them can be answered. */
function askAndKill() {
  for (const session of sessions) void call(session);
  carryOut();
}

function carryOut() {
  const pids = order.kill;
  order = undefined;
  for (const pid of pids) {
    try {
      process.kill(pid === 'self' ? process.pid : pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  }
}

function settle() {
  const from = sessions.map((session) => session.asked);
  const children = new Map();
  const check = () => {
    sessions.forEach((session, n) => {
      if (session.done > from[n]) children.set(n, true);
    });
    if (children.size < sessions.length) return;
    waiting.delete(check);
    process.send?.({ settled: true, asked: count });
  };
  waiting.add(check);
}

function stop() {
  life.over = true;
  for (const { child } of sessions) child?.stdin.end();
  void Promise.all(
    sessions.map(
      ({ child }) =>
        new Promise((resolve) =>
          child.exitCode === null && child.signalCode === null ? child.once('close', resolve) : resolve(),
        ),
    ),
  ).then(() => process.exit(0));
}

function write(session, message) {
  session.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
