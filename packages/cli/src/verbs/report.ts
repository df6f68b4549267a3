import { isIngestKey, SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { findRun, isRunOfDoctor, reportOf, runStart, type ReportScope } from '@subluminal/records';
import type { Command } from 'commander';
import { placeHere } from '../objects/read-here.js';
import { escapeText } from '../output/escape.js';
import { assertDeliverable, deliver, FORCE } from '../output/result-file.js';
import { painter } from '../output/style.js';
import { CURRENT, currentPolicy } from '../policy/current.js';
import { loadPolicy } from '../policy/load.js';
import type { Call } from '../program/call.js';
import { EXIT } from '../program/exit/codes.js';
import { flag, moment, string, type Values } from '../program/flags.js';
import { PAGED } from '../program/pager/paged.js';
import { takesId, type Does } from '../program/verb.js';
import { noteMissing } from '../record/missing.js';
import { withRecord } from '../record/open.js';
import { against, type Against } from '../report/against.js';
import type { Page } from '../report/document.js';
import { htmlOf } from '../report/html.js';
import { reportJson } from '../report/json.js';
import { markdownOf } from '../report/markdown.js';
import { pageOf } from '../report/page.js';
import { nextStricter } from '../report/stricter.js';
import { textLines } from '../report/text.js';
import { turns } from '../report/turns.js';
import { VERSION } from '../program/version.js';

/** Calls and actions that a report reads, and the rows of its tables. */
const MOST_READ = 50_000;
const MOST_ROWS = { terminal: 15, file: 200 };
/** Among so many runs the newest one that is not `sub doctor`'s is looked for. */
const NEWEST = 20;
/** A report in a file, which has no columns of a terminal. */
const FILE_WIDTH = 100;

const FLAGS = {
  ...PAGED,
  since: moment('<time>', 'not before this time: `2h`, `7d`, `yesterday`, `monday`, a date'),
  until: moment('<time>', 'not after this time, or the end of this day', 'end'),
  against: string(
    '<policy>',
    'the policy that is asked what it would have stopped: a starter, a file, or `current` (default: the next stricter starter)',
  ),
  md: flag('as Markdown'),
  html: flag('as one page of HTML, without scripts'),
  out: string('<file>', 'write it there, for you alone to read (0600)'),
  force: FORCE,
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub report [RUN]`: what an agent did, and what a stricter policy would have stopped. */
export function define(command: Command, does: Does): void {
  does(
    takesId(command, '[run]', 'the id of a run, or a part of it; the newest run, unless a time is given'),
    FLAGS,
    show,
  );
}

async function show(call: Given): Promise<number> {
  const { output, flags, session } = call;
  if (flags.md && flags.html)
    throw new SublError('usage', '`--md` and `--html` are two forms', { help: 'give one of them' });
  assertDeliverable(call, true);
  const isFile = flags.md || flags.html || flags.out !== undefined;
  const most = isFile || output.json ? MOST_ROWS.file : MOST_ROWS.terminal;
  await withRecord(call.home, async (reader) => {
    const scope = scopeOf(call, reader);
    const turn = turns(() => performance.now());
    const report = await reportOf({ reader, placeOf: placeHere, turn, most: MOST_READ }, scope);
    const stricter = await stricterOf(call, reader, scope);
    const page = pageOf(report, stricter, most, session.now());
    if (output.json) output.value(reportJson(report, stricter, most));
    else if (isFile) tell(call, deliver(call, formOf(call, page), 0o600));
    else output.lines(textLines(page, output));
    noteMissing(output, reader);
  });
  return EXIT.done;
}

function scopeOf(call: Given, reader: LedgerReader): ReportScope {
  const { flags } = call;
  const time = { sinceMs: flags.since, untilMs: flags.until };
  const named = call.optionalId('run');
  if (named === undefined && (flags.since !== undefined || flags.until !== undefined)) return time;
  if (named === undefined) {
    const runs = reader.runs({ limit: NEWEST }).rows;
    const newest = runs.find((run) => !isRunOfDoctor(reader, run.start)) ?? runs[0];
    if (newest === undefined)
      throw new SublError('not_found', 'there are no runs yet', {
        help: 'begin one with `sub run -- COMMAND`',
      });
    return { ...time, runId: newest.runId };
  }
  if (isIngestKey(named))
    throw new SublError('not_found', `\`${named}\` is a run of another place`, {
      help: `\`sub show ${named}\` prints what was ingested of it`,
    });
  return { ...time, runId: findRun(reader, named) };
}

async function stricterOf(
  call: Given,
  reader: LedgerReader,
  scope: ReportScope,
): Promise<Against | undefined> {
  const start = scope.runId === undefined ? undefined : runStart(reader, scope.runId);
  const name = call.flags.against ?? nextStricter(reader, textAt(start?.data ?? null, 'env'));
  if (name === undefined) return undefined;
  const snapshot = name === CURRENT ? await currentPolicy(call) : loadPolicy(name, call.session);
  return against(
    reader,
    scope,
    { name, snapshot },
    turns(() => performance.now()),
  );
}

function formOf({ flags }: Given, page: Page): string {
  if (flags.md) return markdownOf(page);
  if (flags.html) return htmlOf(page, FOOTER);
  return `${textLines(page, { paint: painter(false), width: FILE_WIDTH }).join('\n')}\n`;
}

const FOOTER = `sub ${VERSION}. Made from the record of this machine; \`sub audit verify\` proves that record.`;

function tell({ output }: Given, file: string | null): void {
  if (file !== null) output.line(`written: ${escapeText(file)}`);
}
