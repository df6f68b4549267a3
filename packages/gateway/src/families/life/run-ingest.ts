import {
  canonicalize,
  ingestKey,
  nextTurn,
  redact,
  shownEventSteps,
  SublError,
  AnyEvent,
  type JsonObject,
  type RunIngestPayload,
} from '@subluminal/core-types';
import type { Ledger, LedgerReader } from '@subluminal/ledger';
import type { Clock } from '../../base/clock.js';
import type { Turns } from '../../pace/turns.js';
import { success } from '../../pipeline/reply.js';
import type { ActionOf } from '../../pipeline/steps.js';
import type { Recorder } from '../../recording/recorder.js';
import { Mutex } from '../../base/mutex.js';
import { BEGINS, life } from './life.js';

/** What testimony of other places is taken in with. */
export interface RunIngestParts {
  readonly ledger: Pick<Ledger, 'ledgerId' | 'genesisFingerprint'>;
  readonly openReader: () => LedgerReader;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly turns: Turns;
}

/** How far a run has been taken in. */
interface Taken {
  readonly events: number;
  readonly ended: boolean;
  readonly verified: RunIngestPayload['verified'];
}

/** Twice what a client takes for one: a longer event would hold up everybody while it is looked at. */
const MAX_EVENT = 524_288;

const RANK: Readonly<Record<RunIngestPayload['verified'], number>> = { none: 0, consistent: 1, pinned: 2 };
const NOTHING: Taken = { events: 0, ended: false, verified: 'none' };

/**
 * `run.ingest`: events of another place become entries of the gateway's own chain, under a name that no run
 * of ours can have. They are data there, and nothing else: no run begins by them, nothing is charged, nothing
 * is decided by them. One after the other, so that of two that bring the same events one finds them there.
 */
export function runIngest(parts: RunIngestParts): ActionOf<'run.ingest'> {
  const mutex = new Mutex();
  return life(BEGINS, (_call, payload) => ({
    record: () => 'own',
    execute: () => {
      assertForeign(parts, payload);
      return mutex.take(async () => {
        const key = ingestKey(payload.source, payload.run_id);
        const taken = takenSoFar(parts, key);
        await assertFollows(parts.turns, payload, taken);
        const { source, run_id, verified, by, first, events } = payload;
        const ended = taken.ended || events.at(-1)?.['type'] === 'run_end';
        const data = {
          key,
          source: { ...source },
          run_id,
          verified: RANK[verified] > RANK[taken.verified] || taken.events === 0 ? verified : taken.verified,
          by: redact(by).text,
          first,
          count: events.length,
          ended,
          events: [...events],
        };
        await parts.recorder.append({
          entries: [{ type: 'run_ingested', ts: parts.clock(), runId: null, tool: key, data }],
        });
        return success({ key, events: first + events.length, ended });
      });
    },
  }));
}

/** A run of this very ledger is no testimony of another place. */
function assertForeign({ ledger }: RunIngestParts, { source, verified }: RunIngestPayload): void {
  if (source.kind === 'bundle' && source.genesis === ledger.genesisFingerprint)
    throw new SublError('invalid_request', 'it is a bundle of this very ledger, which holds the run itself');
  if ((source.kind === 'events') !== (verified === 'none'))
    throw new SublError(
      'invalid_request',
      'only a bundle can have been verified, and only such a one is taken',
    );
}

function takenSoFar({ openReader }: RunIngestParts, key: string): Taken {
  const reader = openReader();
  try {
    const [newest] = reader.byAction(key, { limit: 1 }).rows;
    if (newest?.type !== 'run_ingested') return NOTHING;
    const { first, count, ended, verified } = newest.data;
    if (typeof first !== 'number' || typeof count !== 'number') return NOTHING;
    const known = verified === 'pinned' || verified === 'consistent' ? verified : 'none';
    return { events: first + count, ended: ended === true, verified: known };
  } finally {
    reader.close();
  }
}

async function assertFollows(
  turns: Turns,
  { run_id: runId, first, events, verified }: RunIngestPayload,
  taken: Taken,
): Promise<void> {
  if (first !== taken.events)
    throw new SublError(
      'invalid_request',
      `${taken.events} events of this run are here already, not ${first}`,
    );
  if (events.length === 0) {
    if (taken.events > 0 && RANK[verified] > RANK[taken.verified]) return;
    throw new SublError('invalid_request', 'there is nothing new in it');
  }
  if (taken.ended) throw new SublError('invalid_request', 'the run has ended, and nothing can follow');
  let at = 0;
  // Where something in the event looks like a credential: its text, held against what of it may be shown.
  let suspect: { readonly text: string; readonly steps: ReturnType<typeof shownEventSteps> } | undefined;
  // Reading the frame has taken a good part of this turn already.
  await nextTurn();
  await turns.work(() => {
    const event = events[at];
    if (event === undefined) return false;
    const refuse = (why: string): never => {
      throw new SublError('invalid_request', `event ${first + at}: ${why}`);
    };
    if (suspect === undefined) {
      const why = unfit(event, runId, first + at, at === events.length - 1);
      if (why !== undefined) refuse(why);
      const text = canonicalize(event);
      if (text.length > MAX_EVENT) refuse(`it has more than ${MAX_EVENT} characters`);
      suspect = redact(text).count === 0 ? undefined : { text, steps: shownEventSteps(event) };
      if (suspect !== undefined) return true;
    } else {
      const step = suspect.steps.next();
      if (step.done !== true) return true;
      if (canonicalize(step.value) !== suspect.text) refuse('it holds what looks like a credential');
    }
    suspect = undefined;
    at += 1;
    return at < events.length;
  });
}

function unfit(event: JsonObject, runId: string, index: number, isLast: boolean): string | undefined {
  if (!AnyEvent.safeParse(event).success) return 'it is no event of Contract A';
  const { run_id: named, type } = event;
  if (named !== runId) return 'it is of another run';
  if ((type === 'run_start') !== (index === 0)) return 'a run begins with its `run_start`, and once';
  if (type === 'run_end' && !isLast) return 'something follows the end of the run';
  return undefined;
}
