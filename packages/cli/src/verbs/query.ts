import { SublError } from '@subluminal/core-types';
import { CODES, type CodeName, type LedgerReader, type LedgerRow } from '@subluminal/ledger';
import type { Command } from 'commander';
import { EXIT } from '../exit/codes.js';
import { textAt } from '../output/fields.js';
import { table, type Cell } from '../output/table.js';
import { ago, span } from '../output/time.js';
import type { Call } from '../program/call.js';
import type { Does } from '../program/verb.js';
import { assertListable, noteMissing } from '../record/missing.js';
import { findRun } from '../record/find.js';
import { flaggedJson, flagsOf } from '../record/flags.js';
import { openRecord } from '../record/open.js';
import { nameOf, reasonOf, shortRun, verdictOf } from '../record/lines.js';
import { factsOf, type CallRecord } from '../record/record.js';
import { search, type Search } from '../record/search.js';

const COLUMNS = [
  { title: 'SEQ', align: 'right' },
  { title: 'WHEN' },
  { title: 'RUN' },
  { title: 'WHAT', max: 50, min: 20 },
  { title: 'OUTCOME' },
  { title: 'TIME', align: 'right' },
  { title: 'WHY', max: 70, min: 15 },
] as const;

/**
 * The decisions that a person may ask for, in the words of policies, the record or `sub tail`, and the
 * decisions of the record that each stands for.
 */
const DECISIONS: ReadonlyMap<string, readonly CodeName[]> = new Map([
  ['ALLOW', ['ALLOW']],
  // A rule with `action: BLOCK` and a hint answers REJECT_WITH_HINT.
  ['BLOCK', ['BLOCK', 'REJECT_WITH_HINT']],
  ['THROTTLE', ['THROTTLE']],
  ['REJECT_WITH_HINT', ['REJECT_WITH_HINT']],
  ['HINT', ['REJECT_WITH_HINT']],
  ['TERMINATE_RUN', ['TERMINATE_RUN']],
  ['TERMINATE', ['TERMINATE_RUN']],
]);

/** `sub query`: calls and actions, newest first. */
export function define(command: Command, does: Does): void {
  command
    .option('--run <id>', 'of this run: its id, or the part of it that tables show')
    .option('--server <name>', 'of this MCP server')
    .option('--tool <name>', 'of this tool')
    .option(
      '--decision <name>',
      'with this decision (ALLOW, BLOCK with or without a hint, THROTTLE, HINT, TERMINATE)',
    )
    .option('--refused', 'that was not let through, by whatever decision')
    .option('--flagged', 'that something was unusual about')
    .option(
      '--status <name>',
      'that ended so, calls and actions alike (ok, error, timeout, cancelled, success, rejected, …)',
    )
    .option('--action <name>', 'of this action, such as service.api_call')
    .option('--since <time>', 'not before this time, or not older than `15m`, `2h`, `7d`')
    .option('--until <time>', 'not after this time')
    .option('--request <id>', 'of this request id')
    .option('--args-hash <hash>', 'with these arguments, as `args_hash` of a call names them')
    .option('--limit <n>', 'how many at most (1 to 1000, default 50)')
    .option('--cursor <seq>', 'go on below this entry (the last page names it)')
    .action(
      does(async (call) => {
        const asked = searchOf(call);
        const limit = call.whole('limit', 1, 1000) ?? 50;
        const reader = openRecord(call.home);
        try {
          const cursor = call.whole('cursor', 1, Number.MAX_SAFE_INTEGER) ?? null;
          assertListable(reader, cursor);
          const run = call.text('run');
          const what = run === undefined ? asked : { ...asked, runId: findRun(reader, run) };
          const { records, next } = search(reader, what, limit, cursor);
          if (call.output.json) for (const record of records) call.output.value(flaggedJson(reader, record));
          else {
            printTable(call, reader, records, next);
            if (next === null) noteMissing(call.output, reader);
          }
        } finally {
          reader.close();
        }
        return EXIT.done;
      }),
    );
}

function searchOf(call: Call): Search {
  const given = {
    server: call.text('server'),
    tool: call.text('tool'),
    action: call.text('action'),
    requestId: call.text('request'),
    argsHash: call.text('argsHash'),
    decisions: decisionFlag(call),
    refused: call.flag('refused') ? (true as const) : undefined,
    flagged: call.flag('flagged') ? (true as const) : undefined,
    statuses: statusFlag(call),
    sinceMs: call.moment('since'),
    untilMs: call.moment('until'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function decisionFlag(call: Call): ReadonlySet<CodeName> | undefined {
  const text = call.text('decision');
  if (text === undefined) return undefined;
  const found = DECISIONS.get(text.toUpperCase());
  if (found !== undefined) return new Set(found);
  const words = [...DECISIONS.keys()].map((word) => `\`${word}\``).join(', ');
  throw new SublError('usage', `\`${text}\` is not one of ${words}`, {
    help: 'it was given for `--decision`',
  });
}

/** Calls end `ERROR` and actions `error`: whoever asks for one word means both. */
function statusFlag(call: Call): ReadonlySet<CodeName> | undefined {
  const text = call.text('status');
  if (text === undefined) return undefined;
  const wanted = text.toLowerCase();
  const found = CODES.filter(
    ([number, name]) => number >= 10 && number < 30 && name.toLowerCase() === wanted,
  );
  if (found.length > 0) return new Set(found.map(([, name]) => name));
  throw new SublError('usage', `\`${text}\` is not a status`, {
    help: 'calls end ok, error, timeout or cancelled; actions success, error, rejected, rate_limited or requires_approval',
  });
}

function printTable(
  call: Call,
  reader: LedgerReader,
  records: readonly CallRecord[],
  next: number | null,
): void {
  const { output, session } = call;
  if (records.length === 0) {
    output.line('nothing in the ledger fits');
    return;
  }
  output.lines(
    table(
      COLUMNS,
      records.map((record) =>
        rowOf(record, session.now(), call.flag('flagged') ? flagsOf(reader, record) : []),
      ),
      output,
    ),
  );
  if (next !== null) output.note(`more: add \`--cursor ${next}\``);
}

function rowOf(record: CallRecord, now: number, flags: readonly LedgerRow[]): readonly Cell[] {
  const { latencyMs } = factsOf(record);
  const verdict = verdictOf(record);
  return [
    { text: String(record.first.seq), tone: 'dim' },
    { text: ago(record.first.ts, now) },
    { text: shortRun(record.first.runId), tone: 'dim' },
    { text: nameOf(record) },
    verdict,
    { text: latencyMs === undefined ? '' : span(latencyMs) },
    { text: whyOf(record, verdict.tone === 'good', flags) },
  ];
}

/** What was unusual, where that was asked for; else why it was refused or failed. */
function whyOf(record: CallRecord, isGood: boolean, flags: readonly LedgerRow[]): string {
  if (flags.length === 0) return isGood ? '' : reasonOf(record);
  return flags.map(({ data }) => textAt(data, 'kind')).join(', ');
}
