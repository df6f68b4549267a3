import { isSublError, type RunStatus } from '@subluminal/core-types';
import { countsText, wordFor, type ConnectionCounts } from '@subluminal/records';
import { isOutsideRun } from '../gateway/outside-run.js';
import { ensureGateway } from '../gateway/start.js';
import { escapeText } from '../output/escape.js';
import { span } from '../output/time.js';
import type { Call } from '../program/call.js';
import { asSublError, report } from '../program/report.js';
import type { HeldRun } from './hold.js';
import { exitCodeOfRun } from './outcome.js';
import { annotations, violationLines } from './strict/report.js';
import { REFUSALS } from './strict/violations.js';
import type { RunSummary } from './summary.js';
import type { RunEnd, RunWatch, Watched } from './watch.js';

/** How the command of a run ended, and who watched it. */
export interface RunFinish {
  readonly status: RunStatus;
  /** The exit code of the command. */
  readonly child: number;
  readonly watch: RunWatch | undefined;
}

/**
 * Ends the run, and says in one line what it was and, where it was watched, what it must not have been. Gives
 * the exit code. Of a run that nobody watches the command's stands: a gateway that is away is told of and no
 * more, and ends the run itself when it sees that this process is gone.
 */
export async function finishRun(
  call: Call<{ readonly strict: boolean }>,
  run: HeldRun,
  { status, child, watch }: RunFinish,
): Promise<number> {
  const end = await endRun(call, run, status, watch !== undefined);
  const seen = await watch?.finish(end);
  const watched = seen === undefined || !call.flags.strict ? seen : await withUnseen(call, seen);
  if (end !== 'unknown') await tell(call, run.ticket.run_id, call.flags.strict);
  if (end !== 'unknown') await tellWaiting(call);
  if (watched === undefined) return child;
  const isStrict = call.flags.strict;
  tellWatched(call, run.ticket.run_id, watched, isStrict);
  return exitCodeOfRun({
    child,
    isViolated: isStrict && watched.violations.total > 0,
    isUnproven: watched.unproven !== undefined,
    isCutOff: watched.cutOff !== undefined,
  });
}

/** Of a strict run whose tools the gateway never saw nothing is proved. */
async function withUnseen(call: Call, watched: Watched): Promise<Watched> {
  if (watched.unproven !== undefined || watched.violations.reached) return watched;
  // Loaded late: it reads the files of every client.
  const { unseen } = await import('./strict/unseen.js');
  return { ...watched, unproven: await unseen(call) };
}

/**
 * Tells who ended the run, as far as the gateway knows. Where somebody waits for its record a gateway that
 * died is started again.
 */
async function endRun(call: Call, run: HeldRun, status: RunStatus, isWatched: boolean): Promise<RunEnd> {
  try {
    try {
      return await run.end(status);
    } catch (error) {
      if (!isWatched || !isSublError(error, 'gateway_unreachable', 'shutting_down')) throw error;
      await ensureGateway(call, 'automatic');
      return await run.end(status);
    }
  } catch (error) {
    report(asSublError(error), call.output);
    return 'unknown';
  }
}

function tellWatched(call: Call, runId: string, watched: Watched, isStrict: boolean): void {
  const { output, session } = call;
  const { violations, unproven, cutOff } = watched;
  if (isStrict) {
    const isGitHub = session.environment.ci?.ci_provider === 'github';
    for (const line of violationLines(violations)) output.note(line);
    if (isGitHub) for (const line of annotations(violations)) output.annotation(line);
    if (violations.total > 0) {
      const isListed = violations.list.some(({ what }) => REFUSALS.has(what));
      output.note(
        `${output.paintError('bold', 'help')}: \`sub query --run ${escapeText(runId)}${isListed ? ' --refused' : ''}\``,
      );
    }
  }
  for (const error of [unproven, cutOff]) if (error !== undefined) report(error, output);
}

async function tell(call: Call, runId: string, isStrict: boolean): Promise<void> {
  // Loaded late: nothing of the ledger has to be in memory while the command runs.
  const { summaryOf } = await import('./summary.js');
  try {
    const summary = summaryOf(call.home, runId);
    call.output.note(summaryLine(call, runId, summary));
    if (refusals(summary?.connections) > 0 && !isStrict)
      call.output.note(`sub: \`sub query --refused --run ${escapeText(runId)}\` shows what was refused`);
    if (summary?.unusual !== undefined)
      call.output.note(
        `sub: ${call.output.paintError('warn', summary.unusual)} (\`sub query --flagged --run ${escapeText(runId)}\`)`,
      );
  } catch (error) {
    report(asSublError(error), call.output);
  }
}

/** Something that waits for a person, of other runs too. Inside of one there is nobody to be told. */
async function tellWaiting(call: Call): Promise<void> {
  // Loaded late, as what is read of the ledger.
  const { countsText: textOf, waitingCounts } = await import('../inbox/counts.js');
  const counts = (await isOutsideRun(call)) ? await waitingCounts(call) : undefined;
  if (counts === undefined || counts.size === 0) return;
  const text = call.output.paintError('warn', `waits for you: ${textOf(counts)}`);
  call.output.note(`sub: ${text} (\`sub approvals list\`)`);
}

function summaryLine({ output }: Call, runId: string, summary: RunSummary | undefined): string {
  if (summary === undefined) return `sub: run ${escapeText(runId)}: its end is not recorded yet`;
  const { status, calls, refused, slowed, errors, durationMs, connections } = summary;
  const { asked, hinted, ended } = summary.refusals;
  const some = (count: number, word: string): readonly string[] =>
    count === 0 ? [] : [output.paintError('warn', `${count} ${word}`)];
  const parts = [
    `${calls} ${calls === 1 ? 'call' : 'calls'}`,
    output.paintError(refused > 0 ? 'warn' : 'plain', `${refused} refused`),
    ...some(hinted, 'hinted'),
    ...some(asked, 'asked'),
    ...some(slowed, 'slowed'),
    ...some(ended, 'ended the run'),
    output.paintError(errors > 0 ? 'bad' : 'plain', `${errors} failed`),
    ...(connections === undefined ? [] : [connectionsPart(output, connections)]),
  ];
  return `sub: run ${escapeText(runId)} ${wordFor(status)} in ${span(durationMs)}: ${parts.join(', ')}`;
}

/** Connections and names that were refused. */
function refusals(connections: ConnectionCounts | undefined): number {
  return connections === undefined ? 0 : connections.refused + connections.names;
}

function connectionsPart(output: Call['output'], connections: ConnectionCounts): string {
  return output.paintError(refusals(connections) > 0 ? 'warn' : 'plain', countsText(connections));
}
