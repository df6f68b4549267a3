import { httpRunToken, proxyRunToken, SublError } from '@subluminal/core-types';
import { proxyVariables } from '@subluminal/ipc';
import { EXIT } from '../../program/exit/codes.js';
import { ticketAround } from '../../gateway/outside-run.js';
import { ensureGateway } from '../../gateway/start.js';
import { createHome } from '../../home/create.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { report } from '../../program/report.js';
import { finishRun } from '../finish.js';
import { openSink, type EventSink } from '../events/sink.js';
import { projectRemarks } from '../../policy/project/remarks.js';
import type { GivenPolicy } from '../policy.js';
import { unconfinedLine } from '../confined.js';
import { NotStarted, runChild, type ChildResult } from '../child.js';
import type { RunFlags } from './flags.js';
import { holdRun, type HeldRun } from '../hold.js';
import { identityVariables, runIdentity, type RunIdentity } from '../identity.js';
import { patiently } from '../patience.js';
import { readMeta } from '../meta.js';
import type { CommandWorld, WorldResult } from './world.js';
import { exitCodeOfChild, runStatusOf } from '../outcome.js';
import type { RunWatch } from '../watch.js';

const RUN_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;

type Given = Call<RunFlags>;

/**
 * Runs the command as one run, or in the run that is around it; in a world, if one is given, of whose
 * end `onWorldEnd` hears. Resolves with its exit code, or that of a strict run.
 */
export async function runCommand(
  call: Given,
  world?: CommandWorld,
  onWorldEnd: (result: WorldResult) => void = () => undefined,
): Promise<number> {
  const [command, ...args] = call.args;
  if (command === undefined) throw new SublError('usage', 'the command is missing');
  const { environment, cwd } = call.session;
  const identity = runIdentity(
    { agent: call.flags.agent, client: call.flags.client, env: call.flags.env },
    command,
    environment,
    cwd,
  );
  const meta = readMeta(call.flags.meta);
  const outer = await ticketAround(call);
  if (outer !== undefined) assertJoins(call);
  const policyPath = call.flags.policy;
  const policy = policyPath === undefined ? undefined : await givenPolicy(call, policyPath);
  if (policyPath !== undefined && policy === undefined) return EXIT.usage;
  const events = call.flags.events === undefined ? undefined : openSink(call.flags.events);
  const held = outer === undefined ? await open(call, identity, policy, meta) : undefined;
  const ticket = held?.ticket ?? outer;
  if (ticket === undefined) throw new SublError('failed', 'there is no run to join');
  const watch = held === undefined ? undefined : await watchRun(call, held, events);
  const proxied = proxyVariables({
    // A command inside of a run finds the variables of that run.
    told: held?.proxy,
    label: 'run',
    token: proxyRunToken(ticket.credential),
    env: environment.all,
  });
  const node = { execPath: process.execPath, version: process.version };
  const unconfined = unconfinedLine(command, environment.all['PATH'] ?? '', node, held?.proxy);
  const note = world === undefined ? (proxied.note ?? unconfined) : undefined;
  if (note !== undefined) call.output.note(`sub: ${note}`);
  const variables = identityVariables(ticket.run_id, {
    agentId: ticket.agent_id,
    client: ticket.client,
    env: ticket.env,
    principal: identity.principal,
  });
  const onTerminal = process.stdin.isTTY;
  const stdoutToStderr = call.flags.events === '-';
  let child: ChildResult;
  try {
    const gateway = { SUB_HOME: call.home.home, SUB_HTTP_TOKEN: httpRunToken(ticket.credential) };
    const env = { ...environment.all, ...proxied.env, ...gateway, ...variables };
    if (world === undefined) {
      child = await runChild({ command, args, env, onTerminal, stdoutToStderr });
    } else {
      const { runInWorld } = await import('./world.js');
      const program = [command, ...args] as const;
      const result = await runInWorld(call, {
        ...world,
        ticket,
        command: program,
        variables,
        envOutside: env,
        onTerminal,
        stdoutToStderr,
      });
      onWorldEnd(result);
      child = result.child;
    }
  } catch (error) {
    if (held !== undefined) await finishRun(call, held, { status: 'FAILED', child: EXIT.failed, watch });
    if (!(error instanceof NotStarted)) throw error;
    report(error, call.output);
    return error.exit;
  }
  const exit = exitCodeOfChild(child);
  if (held === undefined) return exit;
  return finishRun(call, held, { status: runStatusOf(child, child.received), child: exit, watch });
}

async function open(
  call: Given,
  identity: RunIdentity,
  policy: GivenPolicy | undefined,
  meta: Readonly<Record<string, string>> | undefined,
): Promise<HeldRun> {
  createHome(call);
  await patiently(() => ensureGateway(call, 'automatic'));
  const { agent, strict } = call.flags;
  const isNamed = agent !== undefined;
  const named = call.session.environment.all['SUB_RUN_ID'] ?? '';
  const claimedRunId = RUN_ID.test(named) ? named : undefined;
  const held = await holdRun(
    call.home,
    { identity, isNamed, strict, policy, claimedRunId, meta },
    call.session.now,
  );
  if (held.policyRemark !== '') call.output.note(`sub: ${escapeText(held.policyRemark)}`);
  for (const line of projectRemarks(held.projects)) call.output.note(`sub: ${line}`);
  return held;
}

/** Loaded late: most runs bring no policy along, and need no compiler. */
async function givenPolicy(call: Call, path: string): Promise<GivenPolicy | undefined> {
  const { readGivenPolicy } = await import('../policy.js');
  return readGivenPolicy(call, path);
}

/** Loaded late: nothing of the ledger has to be in memory while a command runs that nobody watches. */
async function watchRun(
  call: Given,
  held: HeldRun,
  events: EventSink | undefined,
): Promise<RunWatch | undefined> {
  const strict = call.flags.strict;
  if (events === undefined && !strict) return undefined;
  const { RunWatch: Watch } = await import('../watch.js');
  return new Watch({
    home: call.home,
    runId: held.ticket.run_id,
    now: call.session.now,
    events,
    strict,
  });
}

/** Inside a run there is no run of its own whose end could be waited for. */
function assertJoins(call: Given): void {
  const given = (['policy', 'events'] as const).find((name) => call.flags[name] !== undefined);
  const other = call.flags.meta.length > 0 ? 'meta' : '';
  const wanted = call.flags.strict ? '--strict' : `--${given ?? other}`;
  if (wanted === '--') return;
  throw new SublError('inside_run', `\`${wanted}\` is for a run of its own, and this is inside of one`, {
    help: `leave it out, or give it to the outer \`sub run\``,
  });
}
