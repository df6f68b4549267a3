import { SublError, type RunStatus } from '@subluminal/core-types';
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
import { holdRun, outerRun, type HeldRun } from '../run/hold.js';
import { identityVariables, runIdentity, type RunIdentity } from '../run/identity.js';
import { exitCodeOfChild, runStatusOf } from '../run/outcome.js';
import type { RunSummary } from '../run/summary.js';

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
  const { environment, cwd } = call.session;
  const identity = runIdentity(
    { agent: call.text('agent'), client: call.choice('client', CLIENTS), env: call.choice('env', ENVS) },
    command,
    environment,
    cwd,
  );
  const outer = outerRun(call.home);
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
        SUB_HOME: call.home.home,
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
    if (held !== undefined) await close(call, held, 'FAILED');
    if (!(error instanceof NotStarted)) throw error;
    report(error, call.output);
    return error.exit;
  }
  if (held !== undefined) await close(call, held, runStatusOf(child, child.received));
  return exitCodeOfChild(child);
}

async function open(call: Call, identity: RunIdentity): Promise<HeldRun> {
  createHome(call.home);
  await ensureGateway(call, 'automatic');
  return holdRun(call.home, identity, call.session.now);
}

/**
 * Ends the run and says in one line what it was. The command is over and its exit code stands, so that a gateway that
 * is away is told of and no more: it ends the run itself when it sees that this process is gone.
 */
async function close(call: Call, run: HeldRun, status: RunStatus): Promise<void> {
  try {
    await run.end(status);
    // Loaded late: nothing of the ledger has to be in memory while the command runs.
    const { summaryOf } = await import('../run/summary.js');
    tell(call, run.ticket.run_id, summaryOf(call.home, run.ticket.run_id));
  } catch (error) {
    report(asSublError(error), call.output);
  }
}

function tell(call: Call, runId: string, summary: RunSummary | undefined): void {
  const { output } = call;
  if (summary === undefined) {
    output.note(`sub: run ${escapeText(runId)}: its end is not recorded yet`);
    return;
  }
  const { status, calls, blocked, throttled, errors, durationMs } = summary;
  const parts = [
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    output.paintError(blocked > 0 ? 'warn' : 'plain', `${blocked} blocked`),
    ...(throttled > 0 ? [output.paintError('warn', `${throttled} throttled`)] : []),
    output.paintError(errors > 0 ? 'bad' : 'plain', `${errors} ${errors === 1 ? 'error' : 'errors'}`),
  ];
  output.note(
    `sub: run ${escapeText(runId)} ${status.toLowerCase()} in ${span(durationMs)}: ${parts.join(', ')}`,
  );
}
