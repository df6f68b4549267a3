import { Replay, ReplayTally, type PolicySnapshot } from '@subluminal/policy';
import type { LedgerReader } from '@subluminal/ledger';
import { history, recordAround, type Happening } from '@subluminal/records';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { progress } from '../../output/progress.js';
import type { Call } from '../../program/call.js';
import { choice, flag, moment, string, type Values } from '../../program/flags.js';
import { PAGED } from '../../program/pager/paged.js';
import { subVerb, type Does } from '../../program/verb.js';
import { noteMissing } from '../../record/missing.js';
import { withRecord } from '../../record/open.js';
import { CURRENT, currentPolicy } from '../../policy/current.js';
import { loadPolicy } from '../../policy/load.js';
import { replayTranscripts } from '../../policy/transcripts/replay.js';
import { TRANSCRIPT_CLIENTS } from '../../transcripts/transcripts.js';
import { SublError } from '@subluminal/core-types';
import { extentOf } from '../../policy/replay/extent.js';
import { fold } from '../../policy/replay/fold.js';
import { Details } from '../../policy/replay/details.js';
import { summaryJson, summaryLines } from '../../policy/replay/summary.js';

const FAIL_ON = ['blocked', 'allowed', 'unknown'] as const;

const FLAGS = {
  ...PAGED,
  run: string('<id>', 'the calls of this run'),
  transcripts: choice(
    '<client>',
    "the calls in that client's own session files, of 30 days unless `--since` is given (claude, codex)",
    TRANSCRIPT_CLIENTS,
  ),
  dir: string('<folder>', 'where these files are; with `--transcripts`'),
  since: moment('<time>', 'calls not before this time: `2h`, `3d`, `yesterday`, `monday`, a date'),
  details: flag('each call that comes out differently, or cannot be told'),
  failOn: choice('<what>', `exit 3 where there are such calls (${FAIL_ON.join(', ')})`, FAIL_ON),
};

type Given = Call<Values<typeof FLAGS>>;

/**
 * `sub policy replay POLICY`: what a policy would have done to recorded calls. A file works without a
 * gateway.
 */
export function defineReplay(group: Command, does: Does): void {
  does(
    subVerb(group, 'replay', 'what a policy would have done to recorded calls').argument(
      '<policy>',
      'a policy file, a starter policy by its name, or `current` for what the gateway has loaded',
    ),
    FLAGS,
    async (call) => {
      const failOn = call.flags.failOn;
      const given = call.operand(0, 'policy');
      assertTogether(call);
      const snapshot = given === CURRENT ? await currentPolicy(call) : loadPolicy(given, call.session);
      const { transcripts: client, dir, since } = call.flags;
      if (client !== undefined) {
        const refused = replayTranscripts(call, snapshot, { client, dir, sinceMs: since });
        return failOn === 'blocked' && refused > 0 ? EXIT.refused : EXIT.done;
      }
      return withRecord(call.home, (reader) => {
        const tally = replay(call, reader, snapshot);
        if (call.output.json) call.output.value(summaryJson(snapshot, tally));
        else call.output.lines(summaryLines(snapshot, tally, call.output));
        noteMissing(call.output, reader);
        return failOn !== undefined && fails(tally, failOn) ? EXIT.refused : EXIT.done;
      });
    },
  );
}

/** Session files have no runs of ours, and calls that nobody had refused. */
function assertTogether({ flags }: Given): void {
  const isOf = flags.transcripts !== undefined;
  const wrong = isOf
    ? [flags.run === undefined ? '' : 'run', flags.details ? 'details' : '']
    : [flags.dir === undefined ? '' : 'dir'];
  const name = wrong.find((one) => one !== '');
  if (name === undefined && !(isOf && (flags.failOn === 'allowed' || flags.failOn === 'unknown'))) return;
  throw new SublError(
    'usage',
    isOf
      ? `\`--transcripts\` does not go with \`--${name ?? `fail-on ${flags.failOn ?? ''}`}\``
      : '`--dir` goes with `--transcripts`',
    { help: 'see `sub help policy replay`' },
  );
}

function replay(call: Given, reader: LedgerReader, snapshot: PolicySnapshot): ReplayTally {
  const { after, runId, runs, sinceMs } = extentOf(call.flags, reader);
  const replayed = new Replay(snapshot);
  const tally = new ReplayTally();
  const details = call.flags.details ? new Details(call.output, objectsOf(reader)) : undefined;
  const bar = progress(call.output, 'replaying', call.session.now);
  const size = reader.size;
  let steps = 0;
  const watched = function* (): Generator<Happening> {
    const entries = reader.callSteps({ after, runId });
    const wanted = (function* () {
      for (const step of entries) {
        steps += 1;
        if (steps % 1024 === 0) bar.update(step.seq - after, size - after);
        if (runs === undefined || (step.runId !== null && runs.has(step.runId))) yield step;
      }
    })();
    yield* history(wanted);
  };
  for (const happening of watched()) {
    const result = fold(replayed, happening);
    if (happening.what === 'end') details?.end(happening.ref, happening.end);
    if (happening.what !== 'call' || result === undefined || happening.call.ts < sinceMs) continue;
    tally.add(happening.call, happening.told.callId, result);
    details?.call(happening.call, happening.told, result);
  }
  details?.flush();
  bar.end();
  return tally;
}

/** The object of the call with a decision. */
function objectsOf(reader: LedgerReader): (seq: number) => string | null {
  return (seq) => {
    const row = reader.entry(seq);
    return row === undefined ? null : (recordAround(reader, row)?.object ?? null);
  };
}

function fails({ counts, lost }: ReplayTally, on: (typeof FAIL_ON)[number]): boolean {
  if (on === 'blocked') return lost > 0;
  return on === 'allowed' ? counts.newly_allowed > 0 : counts.unknown > 0;
}
