// Part "session": a real session without a network, watched system call by system call.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, skipped } from '../report.mjs';
import { TRACED, readTrace } from './system-calls.mjs';

/** @import { Check, Finding } from '../report.mjs' */
/** @import { Trace } from './system-calls.mjs' */

const PART = 'session';
const BUNDLES = [
  'packages/cli/dist/bundle/main.js',
  'packages/cli/dist/shim-bundle/main.js',
  'packages/daemon/dist/bundle/gateway.js',
];

/** Programs that must not make a socket that is not AF_UNIX. */
const WITHOUT_NETWORK = ['shim', 'cli'];

/**
 * Runs the session of steps.mjs on the tree in a network namespace that has no interface. Without Linux,
 * strace or the right to make such a namespace the part is skipped, and says so.
 * @param {string} root
 * @returns {Check[]}
 */
export function auditSession(root) {
  const isolate = isolation();
  const reason = whyNot(root, isolate);
  if (reason !== null || isolate === null) return [skipped(PART, 'shim, cli, gateway', reason ?? '')];
  const scratch = mkdtempSync(join(tmpdir(), 'sub-audit-'));
  try {
    const { status, output, log } = runSteps(root, scratch, isolate);
    const trace = readTrace(log, programOf);
    const steps =
      status === 0 ? [] : [{ where: 'steps.mjs', what: `exited ${status}: ${output.slice(-2000)}` }];
    return [
      check(PART, 'steps', 'run, status, runs, allow, call, audit verify, down', steps),
      ...WITHOUT_NETWORK.map((program) => auditProgram(trace, program, true)),
      auditProgram(trace, 'gateway', false),
    ];
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** @param {string} root @param {string[] | null} isolate @returns {string | null} */
function whyNot(root, isolate) {
  const missing = BUNDLES.find((file) => !existsSync(join(root, file)));
  if (missing !== undefined) return `${missing} is not built: run \`npm run build\``;
  if (process.platform !== 'linux') return `needs Linux, this is ${process.platform}`;
  if (!runs(['strace', '-V'])) return 'needs strace, which is not installed';
  if (isolate === null)
    return 'needs root or user namespaces to cut the network off (`unshare -n`, `unshare -rn`)';
  return runs([...isolate, 'strace', '-f', '-o', '/dev/null', 'true'])
    ? null
    : 'strace may not trace here (ptrace is forbidden)';
}

/** The command prefix that cuts the network off, null when this user has none. @returns {string[] | null} */
function isolation() {
  const prefixes = [
    ['unshare', '-n'],
    // In a namespace of processes of its own: verbs of the operator are refused where the ones above are
    // hidden.
    ['unshare', '-rn', '-pf', '--mount-proc'],
  ];
  return prefixes.find((prefix) => runs([...prefix, 'true'])) ?? null;
}

/** @param {string[]} command @returns {boolean} */
function runs(command) {
  return spawnSync(command[0] ?? '', command.slice(1), { stdio: 'ignore' }).status === 0;
}

/** @param {string} root @param {string} scratch @param {string[]} isolate */
function runSteps(root, scratch, isolate) {
  const folder = join(scratch, 'files');
  const log = join(scratch, 'strace.log');
  mkdirSync(folder);
  const steps = fileURLToPath(new URL('steps.mjs', import.meta.url));
  const strace = ['strace', '-f', '-qq', '-s', '4096', '-o', log, '-e', `trace=${TRACED}`];
  const command = [...isolate, ...strace, process.execPath, steps, root, join(scratch, 'home'), folder];
  const { status, stdout, stderr } = spawnSync(command[0] ?? '', command.slice(1), {
    encoding: 'utf8',
    timeout: 300_000,
    cwd: scratch,
  });
  return { status, output: `${stdout}${stderr}`, log: readFileSync(log, 'utf8') };
}

/**
 * The program of a process, told by the script that Node was given. @param {string[]} argv @returns {string}
 */
function programOf(argv) {
  const at = argv.findIndex((word, place) => place > 0 && !isOption(word));
  const [script = '', ...args] = at === -1 ? [] : argv.slice(at);
  if (/\/cli\/(?:bin\/sub\.mjs|dist\/(?:shim-)?bundle\/main\.js)$/.test(script)) {
    return args[0] === 'shim' ? 'shim' : 'cli';
  }
  return script.endsWith('/daemon/dist/bundle/gateway.js') ? 'gateway' : 'other';
}

/** Options of Node stand before its script. @param {string} word */
function isOption(word) {
  return word.startsWith('-');
}

/**
 * Fails when the program was not seen at all, and, for one that may not, when it made any socket but AF_UNIX.
 * The gateway must have made one: otherwise the count would prove nothing.
 * @param {Trace} trace @param {string} program @param {boolean} unixOnly @returns {Check}
 */
function auditProgram(trace, program, unixOnly) {
  const sockets = trace.sockets.filter((found) => found.program === program);
  const others = sockets.filter(({ family }) => family !== 'AF_UNIX');
  const rings = trace.rings.filter((found) => found === program).length;
  const started = trace.started.get(program) ?? 0;
  /** @type {Finding[]} */
  const findings = [];
  if (started === 0)
    findings.push({ where: program, what: 'never started in the session: nothing was watched' });
  if (unixOnly) {
    findings.push(...others.map(({ call }) => ({ where: program, what: call })));
    if (rings > 0)
      findings.push({ where: program, what: `opened ${rings} io_uring, which can make sockets unseen` });
  } else if (others.length === 0) {
    findings.push({
      where: program,
      what: 'made no network socket, so the count has not been shown to work',
    });
  }
  const detail = `${started} started, ${sockets.length - others.length} AF_UNIX sockets, ${others.length} others`;
  return check(PART, program, detail, findings);
}
