import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { resolve } from 'node:path';
import { SublError, textAt, type IngestSource, type JsonObject } from '@subluminal/core-types';
import { BUNDLE_FILES, BundleFault, bundleLines, verifyBundle } from '@subluminal/ledger';
import type { Command } from 'commander';
import { bundleLines as reportLines } from '../audit/bundle.js';
import { EXIT } from '../program/exit/codes.js';
import { dataOf, withGateway } from '../gateway/door.js';
import { assertOutsideRun } from '../gateway/outside-run.js';
import { ensureGateway } from '../gateway/start.js';
import { readForeignEvent } from '../ingest/event-line.js';
import { Intake, type SendEvents, type TakenRun } from '../ingest/intake.js';
import { fileLines, pipedBytes, pipedLines, sizeOf, type Line } from '../ingest/lines.js';
import { ingestedRun } from '@subluminal/records';
import { counted } from '../output/counted.js';
import { escapeText } from '../output/escape.js';
import type { Call } from '../program/call.js';
import { string, type Values } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { openRecord } from '../record/open.js';

const FLAGS = {
  pin: string('<fingerprint>', 'of a bundle: the genesis fingerprint that its ledger must have'),
  source: string('<name>', 'of events: the name of the place that they come from (default: events)'),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub ingest FILE|FOLDER|-`: events of runs of another place, kept here as its testimony. */
export function define(command: Command, does: Does): void {
  does(
    command.argument(
      '<place>',
      'a file of events (JSON lines), the folder of a bundle, or `-` for what is piped in',
    ),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const found = await open(call);
      if (typeof found === 'number') return found;
      await ensureGateway(call, 'automatic');
      return takeIn(call, found);
    },
  );
}

/** The events that are taken in. Their lines can be gone through more than once. */
interface Testimony {
  readonly source: IngestSource;
  readonly verified: 'pinned' | 'consistent' | 'none';
  readonly lines: () => Iterable<Line>;
}

const MAX_MISTAKES = 20;

async function open(call: Given): Promise<Testimony | number> {
  const place = call.operand(0, 'place');
  const [pin, name] = [call.flags.pin, call.flags.source];
  if (place !== '-' && statSync(resolve(place), { throwIfNoEntry: false })?.isDirectory() === true) {
    if (name !== undefined)
      throw new SublError('usage', '`--source` is for events: a bundle names its own ledger');
    return openBundle(call, resolve(place), pin);
  }
  if (pin !== undefined)
    throw new SublError('usage', '`--pin` is for bundles: events by themselves prove nothing', {
      help: 'name the folder that `sub export run` made',
    });
  const source = { kind: 'events', name: name ?? 'events' } as const;
  if (place === '-') {
    const bytes = await pipedBytes(process.stdin);
    return { source, verified: 'none', lines: () => pipedLines(bytes) };
  }
  const size = sizeOf(place);
  return { source, verified: 'none', lines: () => fileLines(place, size) };
}

function openBundle({ output }: Call, folder: string, pin: string | undefined): Testimony | number {
  if (pin !== undefined && !/^[0-9a-f]{64}$/.test(pin))
    throw new SublError('usage', `\`${pin}\` is not a genesis fingerprint`, {
      help: 'it has 64 lowercase hex digits',
    });
  const report = verifyBundle(folder, pin === undefined ? {} : { pin });
  const { verdict, ledgerId, genesisFingerprint, eventsFile: mark } = report;
  const isWhole = verdict === 'ok' || verdict === 'unproven';
  if (!isWhole || ledgerId === null || genesisFingerprint === null || mark === null) {
    output.note(
      reportLines(report, folder, {
        paint: output.paintError,
        width: Number.POSITIVE_INFINITY,
      }).join('\n'),
    );
    throw new SublError(
      verdict === 'tampered' ? 'ledger_corrupt' : 'failed',
      'the bundle does not verify: nothing was ingested',
    );
  }
  return {
    source: { kind: 'bundle', ledger_id: ledgerId, genesis: genesisFingerprint },
    verified: pin === undefined ? 'consistent' : 'pinned',
    // Held against the hash that was verified: the file may have been replaced since.
    lines: () => bundleLines(folder, BUNDLE_FILES.events, mark),
  };
}

async function takeIn(call: Call, testimony: Testimony): Promise<number> {
  const { output, home, session } = call;
  const { source, verified } = testimony;
  const reader = openRecord(home);
  try {
    const by = userInfo().username;
    const mistakes = await check(testimony, new Intake(source, reader, () => Promise.resolve()));
    if (mistakes.length > 0) {
      for (const mistake of mistakes) output.note(escapeText(mistake));
      throw new SublError('failed', 'nothing was ingested: what is wrong stands above', {
        help: 'correct those lines, or ingest what another place has under another `--source`',
      });
    }
    const runs = await withGateway(home, 'operator', session.now, async (client) => {
      const send: SendEvents = async (runId, first, events) => {
        dataOf(
          await client.request('run.ingest', {
            source,
            run_id: runId,
            verified,
            by,
            first,
            events: [...events],
          }),
        );
      };
      const intake = new Intake(source, reader, send);
      for (const { text } of testimony.lines()) {
        const event = readForeignEvent(text);
        const why = typeof event === 'string' ? event : await intake.take(event);
        if (why !== undefined) throw new SublError('failed', `what was checked has changed since: ${why}`);
      }
      await intake.finish();
      for (const run of intake.runs) {
        const before = textAt(ingestedRun(reader, run.key)?.newest.data ?? null, 'verified');
        if (run.added === 0 && verified === 'pinned' && before === 'consistent')
          await send(run.runId, run.events, []);
      }
      return intake.runs;
    });
    tell(call, testimony, runs);
    return EXIT.done;
  } catch (error) {
    if (!(error instanceof BundleFault)) throw error;
    throw new SublError('ledger_corrupt', `the bundle has changed since it was verified: ${error.message}`, {
      cause: error,
    });
  } finally {
    reader.close();
  }
}

/** Goes through all of it before anything is sent, so that a file is taken in whole or not at all. */
async function check(testimony: Testimony, intake: Intake): Promise<readonly string[]> {
  const mistakes: string[] = [];
  for (const { text, number } of testimony.lines()) {
    const event = readForeignEvent(text);
    const why = typeof event === 'string' ? event : await intake.take(event);
    if (why !== undefined) mistakes.push(`line ${number}: ${why}`);
    if (mistakes.length === MAX_MISTAKES) break;
  }
  return mistakes;
}

function tell({ output }: Call, { source, verified }: Testimony, runs: readonly TakenRun[]): void {
  const sum = (count: (run: TakenRun) => number): number =>
    runs.reduce((total, run) => total + count(run), 0);
  const [events, added] = [sum((run) => run.events), sum((run) => run.added)];
  if (output.json) {
    const listed: JsonObject[] = runs.map(({ key, runId, events: all, added: own, ended }) => ({
      key,
      run_id: runId,
      events: all,
      added: own,
      ended,
    }));
    output.value({ source: { ...source }, verified, events, added, runs: listed });
    return;
  }
  const what = `${counted(added, 'event')} of ${counted(runs.length, 'run')} ingested`;
  output.line(added === events ? what : `${what}; ${counted(events - added, 'event')} were here already`);
  output.note(
    '`sub runs --ingested` lists them; they are what another place says, and never mixed with what happened here',
  );
}
