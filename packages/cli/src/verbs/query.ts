import { SublError, textAt } from '@subluminal/core-types';
import type { CodeName, LedgerRow } from '@subluminal/ledger';
import {
  DECISION_WORDS,
  decisionsNamed,
  factsOf,
  findRun,
  flaggedJson,
  flagsOf,
  search,
  statusesNamed,
  type CallRecord,
  type Search,
} from '@subluminal/records';
import type { Command } from 'commander';
import { EXIT } from '../program/exit/codes.js';
import { noteMore, showList } from '../output/listing.js';
import type { Cell } from '../output/table.js';
import { ago, span } from '../output/time.js';
import type { Call } from '../program/call.js';
import { flag, moment, string, whole, type Values } from '../program/flags.js';
import type { Does } from '../program/verb.js';
import { assertListable, noteMissing } from '../record/missing.js';
import { withRecord } from '../record/open.js';
import { reasonOf, shortRun, subjectOf, verdictOf } from '../record/lines.js';

const WHAT_WIDTH = 60;

const COLUMNS = [
  { title: 'SEQ', align: 'right' },
  { title: 'WHEN' },
  { title: 'RUN' },
  { title: 'WHAT', max: WHAT_WIDTH, min: 20 },
  { title: 'OUTCOME' },
  { title: 'TIME', align: 'right' },
  { title: 'WHY', max: 70, min: 15 },
] as const;

const FLAGS = {
  run: string('<id>', 'of this run: its id, or the part of it that tables show'),
  agent: string('<name>', 'of runs of this agent'),
  client: string('<name>', 'of runs of this client (claude, codex, …)'),
  object: string('<text>', 'with this text in its command, query, path or URL'),
  server: string('<name>', 'of this MCP server'),
  tool: string('<name>', 'of this tool'),
  decision: string(
    '<name>',
    'with this decision (ALLOW, BLOCK with or without a hint, THROTTLE, HINT, TERMINATE)',
  ),
  refused: flag('that was not let through, by whatever decision'),
  flagged: flag('that something was unusual about'),
  status: string(
    '<name>',
    'that ended so, calls and actions alike (ok, error, timeout, cancelled, success, rejected, …)',
  ),
  action: string('<name>', 'of this action, such as service.api_call'),
  since: moment('<time>', 'not before this time, or not older than `15m`, `2h`, `7d`'),
  until: moment('<time>', 'not after this time'),
  request: string('<id>', 'of this request id'),
  argsHash: string('<hash>', 'with these arguments, as `args_hash` of a call names them'),
  limit: whole('<n>', 'how many at most (1 to 1000, default 50)', 1, 1000),
  cursor: whole('<seq>', 'go on below this entry (the last page names it)', 1),
};

type Given = Call<Values<typeof FLAGS>>;

/** `sub query`: calls and actions, newest first. */
export function define(command: Command, does: Does): void {
  does(command, FLAGS, async (call) => {
    const asked = searchOf(call);
    const limit = call.flags.limit ?? 50;
    const cursor = call.flags.cursor ?? null;
    const { output, session } = call;
    await withRecord(call.home, (reader) => {
      assertListable(reader, cursor);
      const run = call.flags.run;
      const what = run === undefined ? asked : { ...asked, runId: findRun(reader, run) };
      const { records, next } = search(reader, what, limit, cursor);
      showList(output, records, {
        json: (record) => flaggedJson(reader, record),
        none: 'nothing in the ledger fits',
        columns: COLUMNS,
        row: (record) => rowOf(record, session.now(), call.flags.flagged ? flagsOf(reader, record) : []),
      });
      noteMore(output, next);
      if (next === null && !output.json) noteMissing(output, reader);
    });
    return EXIT.done;
  });
}

function searchOf(call: Given): Search {
  const given = {
    agent: call.flags.agent,
    client: call.flags.client,
    object: call.flags.object,
    server: call.flags.server,
    tool: call.flags.tool,
    action: call.flags.action,
    requestId: call.flags.request,
    argsHash: call.flags.argsHash,
    decisions: decisionFlag(call),
    refused: call.flags.refused ? (true as const) : undefined,
    flagged: call.flags.flagged ? (true as const) : undefined,
    statuses: statusFlag(call),
    sinceMs: call.flags.since,
    untilMs: call.flags.until,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function decisionFlag(call: Given): ReadonlySet<CodeName> | undefined {
  const text = call.flags.decision;
  if (text === undefined) return undefined;
  const found = decisionsNamed(text);
  if (found !== undefined) return found;
  const words = DECISION_WORDS.map((word) => `\`${word}\``).join(', ');
  throw new SublError('usage', `\`${text}\` is not one of ${words}`, {
    help: 'it was given for `--decision`',
  });
}

function statusFlag(call: Given): ReadonlySet<CodeName> | undefined {
  const text = call.flags.status;
  if (text === undefined) return undefined;
  const found = statusesNamed(text);
  if (found !== undefined) return found;
  throw new SublError('usage', `\`${text}\` is not a status`, {
    help: 'calls end ok, error, timeout or cancelled; actions success, error, rejected, rate_limited or requires_approval',
  });
}

function rowOf(record: CallRecord, now: number, flags: readonly LedgerRow[]): readonly Cell[] {
  const { latencyMs } = factsOf(record);
  const verdict = verdictOf(record);
  return [
    { text: String(record.first.seq), tone: 'dim' },
    { text: ago(record.first.ts, now) },
    { text: shortRun(record.first.runId), tone: 'dim' },
    { text: subjectOf(record, WHAT_WIDTH) },
    verdict,
    { text: latencyMs === undefined ? '' : span(latencyMs) },
    { text: whyOf(record, verdict.tone === 'good', flags) },
  ];
}

/** The flags of a record, where they were asked for; else why it was refused or failed. */
function whyOf(record: CallRecord, isGood: boolean, flags: readonly LedgerRow[]): string {
  if (flags.length === 0) return isGood ? '' : reasonOf(record);
  return flags.map(({ data }) => textAt(data, 'kind')).join(', ');
}
