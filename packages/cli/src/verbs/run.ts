import { SublError, type RunStatus, type Ticket } from '@subluminal/core-types';
import { Option, type Command } from 'commander';
import { ensureGateway } from '../gateway/start.js';
import { createHome } from '../home/create.js';
import { escapeText } from '../output/escape.js';
import { span } from '../output/time.js';
import type { Call } from '../program/call.js';
import { notAvailable } from '../program/later.js';
import { asSublError, report } from '../program/report.js';
import type { Does } from '../program/verb.js';
import { NotStarted, runChild, type ChildResult } from '../run/child.js';
import { holdRun, outerRun, type HeldRun, type RunSummary } from '../run/hold.js';
import { identityVariables, runIdentity, type RunIdentity } from '../run/identity.js';
import { exitCodeOfChild, runStatusOf } from '../run/outcome.js';

const CLIENTS = ['claude', 'codex', 'headless', 'custom', 'unknown'] as const;
const ENVS = ['dev', 'ci', 'prod'] as const;
const LATER = ['strict', 'events', 'policy'] as const;

/** `sub run -- CMD…`: the command and all it starts are one run. Its exit code is the command's. */
export function define(command: Command, does: Does): void {
  command
    .usage('[options] -- <command> [arguments…]')
    .argument('<command...>', 'the agent, with its arguments')
    .option('--agent <id>', 'the agent’s name in the record (default: the name of the command)')
    .option('--env <name>', `where it runs (${ENVS.join(', ')}; default: ci in a CI job, else dev)`)
    .option('--client <name>', `which client it is (${CLIENTS.join(', ')}; default: by the command)`)
    .addOption(new Option('--strict').hideHelp())
    .addOption(new Option('--events <file>').hideHelp())
    .addOption(new Option('--policy <file>').hideHelp())
    .passThroughOptions()
    .action(does(runVerb));
}

async function runVerb(call: Call): Promise<number> {
  for (const name of LATER) {
    if (call.flag(name) || call.text(name) !== undefined) throw notAvailable(`sub run --${name}`);
  }
  const [command, ...args] = call.args;
  if (command === undefined) throw new SublError('usage', 'the command is missing');
  const { environment, cwd, now } = call.session;
  const identity = runIdentity(
    { agent: call.text('agent'), client: call.choice('client', CLIENTS), env: call.choice('env', ENVS) },
    command,
    environment,
    cwd,
  );
  const outer = outerRun(call.home);
  const started = now();
  const held = outer === undefined ? await open(call, identity) : undefined;
  const ticket = held?.ticket ?? outer;
  if (ticket === undefined) throw new SublError('failed', 'there is no run to join');
  let child: ChildResult;
  try {
    child = await runChild({
      command,
      args,
      env: {
        ...environment.all,
        ...identityVariables(ticket.run_id, {
          agentId: ticket.agent_id,
          client: ticket.client,
          env: ticket.env,
          principal: identity.principal,
        }),
      },
      onTerminal: process.stdin.isTTY,
    });
  } catch (error) {
    if (held !== undefined) await close(call, held, 'FAILED', started);
    if (!(error instanceof NotStarted)) throw error;
    report(error, call.output);
    return error.exit;
  }
  if (held !== undefined) await close(call, held, runStatusOf(child, child.received), started);
  return exitCodeOfChild(child);
}

async function open(call: Call, identity: RunIdentity): Promise<HeldRun> {
  createHome(call.home);
  await ensureGateway(call.home, call.session);
  return holdRun(call.home, identity, call.session.now);
}

/**
 * Ends the run and says in one line what it was. The command is over and its exit code stands, so that a gateway that
 * is away is told of and no more: it ends the run itself when it sees that this process is gone.
 */
async function close(call: Call, run: HeldRun, status: RunStatus, started: number): Promise<void> {
  try {
    const summary = await run.end(status);
    tell(call, run.ticket, status, summary, call.session.now() - started);
  } catch (error) {
    report(asSublError(error), call.output);
  }
}

function tell(
  call: Call,
  ticket: Ticket,
  status: RunStatus,
  summary: RunSummary | undefined,
  elapsed: number,
): void {
  const { output } = call;
  const run = escapeText(ticket.run_id);
  if (summary === undefined) {
    output.note(`sub: run ${run} had been ended before its command`);
    return;
  }
  const { calls, blocked, throttled, errors } = summary;
  const parts = [
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    output.paintError(blocked > 0 ? 'warn' : 'plain', `${blocked} blocked`),
    ...(throttled > 0 ? [output.paintError('warn', `${throttled} throttled`)] : []),
    output.paintError(errors > 0 ? 'bad' : 'plain', `${errors} ${errors === 1 ? 'error' : 'errors'}`),
  ];
  output.note(`sub: run ${run} ${status.toLowerCase()} in ${span(elapsed)}: ${parts.join(', ')}`);
}
