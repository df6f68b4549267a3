import { ClientName, SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import {
  bothSearches,
  DECISION_WORDS,
  decisionsNamed,
  factsOf,
  filterSearch,
  filterText,
  findRun,
  flaggedJson,
  flagsOf,
  layerDecisionOf,
  search,
  STATUS_WORDS,
  statusesNamed,
  type CallRecord,
  type Search,
} from '@subluminal/records';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import { counted } from '../output/counted.js';
import { escapeText } from '../output/escape.js';
import { noteMore, showList } from '../output/listing.js';
import type { Cell } from '../output/table.js';
import { ago, span } from '../output/time.js';
import type { Call } from '../program/call.js';
import { choice, flag, moment, oneOf, string, whole, type Values } from '../program/flags.js';
import { PAGED } from '../program/pager/paged.js';
import type { Does } from '../program/verb.js';
import { placeHere } from '../objects/read-here.js';
import { plainName, TESTED, testsOf } from '../record/asked-search.js';
import { assertListable, noteMissing } from '../record/missing.js';
import { withRecord } from '../record/open.js';
import { INNER_ACTIONS } from '../record/inner-actions.js';
import {
  changesText,
  nameOf,
  reasonOf,
  shortReason,
  shortRun,
  subjectOf,
  verdictOf,
  wouldBe,
} from '../record/lines.js';

const WHAT_WIDTH = 60;
const NONE_REFUSED =
  'nothing in the ledger fits; `sub report` tells what a policy that observes would have refused';

const COLUMNS = [
  { title: 'SEQ', align: 'right' },
  { title: 'WHEN' },
  { title: 'RUN' },
  { title: 'WHAT', max: WHAT_WIDTH, min: 32 },
  { title: 'OUTCOME' },
  { title: 'TIME', align: 'right', spare: 1 },
  { title: 'WHY', max: 70, min: 15 },
] as const;

const CLIENTS = ClientName.options;

const FLAGS = {
  ...PAGED,
  run: string('<id>', 'of this run: its id, its beginning, or its end as tables show it'),
  ...TESTED,
  agent: string('<name>', 'of runs of this agent'),
  client: choice('<name>', `of runs of this client (${CLIENTS.join(', ')})`, CLIENTS),
  decision: oneOf(
    '<name>',
    `calls that were ${DECISION_WORDS.join(', ')}, or as a policy says it (BLOCK: with or without a hint)`,
    DECISION_WORDS,
    decisionsNamed,
  ),
  refused: flag('that were not let through, by whatever decision'),
  flagged: flag('that something was unusual about'),
  status: oneOf(
    '<name>',
    `calls and actions that came out so (${STATUS_WORDS.join(', ')}), or as JSON says it`,
    STATUS_WORDS,
    statusesNamed,
  ),
  action: string('<name>', 'of this action, such as `service.api_call` or `layer.*`'),
  since: moment('<time>', 'not before this time: `2h`, `3d`, `yesterday`, `monday`, a date'),
  until: moment('<time>', 'not after this time, or the end of this day', 'end'),
  request: string('<id>', 'of this request id'),
  argsHash: string('<hash>', 'with these arguments, as `args_hash` of a call names them'),
  limit: whole('<n>', 'how many at most (1 to 1000, default 50)', 1, 1000),
  cursor: whole('<seq>', 'go on below this entry (the last page names it)', 1),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub query [FILTER]`: calls and actions, newest first. */
export function define(command: Command, does: Does): void {
  const filtered = command.argument(
    '[filter...]',
    'such as `server:github -tool:list_* is:refused` (docs/ui.md)',
  );
  does(filtered, FLAGS, async (call) => {
    const limit = call.flags.limit ?? 50;
    const cursor = call.flags.cursor ?? null;
    const { output, session } = call;
    await withRecord(call.home, (reader) => {
      assertListable(reader, cursor);
      const run = call.flags.run;
      // A name of the filter is a test, too, so that of a flag may narrow what is looked through.
      const asked = bothSearches(filterOf(call, reader), searchOf(call, reader));
      const what = run === undefined ? asked : { ...asked, runId: findRun(reader, run) };
      const { records, next, unknown } = search(reader, what, limit, cursor);
      showList(output, records, {
        json: (record) => flaggedJson(reader, record),
        none: call.flags.refused ? NONE_REFUSED : 'nothing in the ledger fits',
        columns: COLUMNS,
        row: (record) => rowOf(record, session.now(), call.flags.flagged ? flagsOf(reader, record) : []),
      });
      if (unknown > 0) output.note(unknownText(unknown));
      if (call.flags.refused && records.length > 0 && !output.json)
        output.note('`sub why SEQ` says why, and how to go on');
      noteMore(output, next);
      if (next === null && !output.json) noteMissing(output, reader);
    });
    return EXIT.done;
  });
}

/** The operands as a filter. Throws `usage` for one that cannot be read. */
function filterOf({ args, flags, session }: Given, reader: LedgerReader): Search {
  const { action = '' } = flags;
  const named = isPattern(action) ? [filterText([{ key: 'action', values: [action], not: false }])] : [];
  const text = [...args, ...named].join(' ');
  const read = filterSearch(text, { reader, placeOf: placeHere }, session.now());
  if (read.ok) return read.search;
  throw new SublError('usage', read.message, {
    help: `it was read up to \`${text.slice(0, read.at)}\`; put a filter with quotes into single quotes`,
  });
}

/** Whether a name stands for several, as `layer.*` does. */
function isPattern(name: string): boolean {
  return /[*?[\]{}]/.test(name);
}

/** Commands in worlds are calls, of which people speak as of an action. */
const EXEC = { action: 'world.exec', server: 'world', tool: 'exec' };

function searchOf({ flags, output, session }: Given, reader: LedgerReader): Search {
  const isExec = flags.action === EXEC.action;
  const given = {
    agent: flags.agent,
    client: flags.client,
    server: plainName(flags.server) ?? (isExec ? EXEC.server : undefined),
    tool: plainName(flags.tool) ?? (isExec ? EXEC.tool : undefined),
    action: isExec || isPattern(flags.action ?? '') ? undefined : flags.action,
    leaveOut:
      flags.action === undefined && flags.request === undefined && !output.json ? INNER_ACTIONS : undefined,
    requestId: flags.request,
    argsHash: flags.argsHash,
    decisions: flags.decision,
    refused: flags.refused ? (true as const) : undefined,
    flagged: flags.flagged ? (true as const) : undefined,
    ended: flags.status,
    sinceMs: flags.since,
    untilMs: flags.until,
    tests: testsOf(flags, reader, session.cwd),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** Says how many calls a filter could not be held against. */
function unknownText(count: number): string {
  return `left out: ${counted(count, 'call')} of which too little was read, or is kept, to tell`;
}

function rowOf(record: CallRecord, now: number, flags: readonly LedgerRow[]): readonly Cell[] {
  const { latencyMs } = factsOf(record);
  const verdict = verdictOf(record);
  const why = whyOf(record, verdict.tone === 'good', flags);
  return [
    { text: String(record.first.seq), tone: 'dim' },
    { text: ago(record.first.ts, now) },
    { text: shortRun(record.first.runId), tone: 'dim' },
    { text: nameOf(record), within: (columns) => subjectOf(record, columns) },
    verdict,
    // A refused call took no time.
    { text: !latencyMs ? '' : span(latencyMs) },
    { text: why, within: (columns) => shortReason(escapeText(why), columns) },
  ];
}

/**
 * The flags of a record, where they were asked for; else why it was refused or failed, and of a decision on a
 * layer what it was about.
 */
function whyOf(record: CallRecord, isGood: boolean, flags: readonly LedgerRow[]): string {
  if (flags.length === 0) {
    const why = isGood ? wouldBe(record) : reasonOf(record);
    return [why, layerDecisionOf(record) === undefined ? '' : changesText(record)]
      .filter((part) => part !== '')
      .join('  ');
  }
  return flags.map(({ data }) => textAt(data, 'kind')).join(', ');
}
