import { canonicalize, listAt, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  ingestedEvents,
  ingestedJson,
  runJson,
  wordFor,
  type IngestedRun,
  type RunRecord,
} from '@subluminal/records';
import { escapeText } from '../output/escape.js';
import { toneOf } from '../output/style.js';
import { pairs, type Cell } from '../output/table.js';
import { wholeTimeOf } from '../output/time.js';
import { projectRemarks } from '../policy/project/remarks.js';
import type { Call } from '../program/call.js';

/** The sums of a run. */
export function showRun({ output }: Call, run: RunRecord): void {
  const facts = runJson(run);
  if (output.json) {
    output.value({ run: facts });
    return;
  }
  const told = Object.keys(facts).map((name): readonly [string, Cell] => [
    name.replaceAll('_', ' '),
    runCell(name, textAt(facts, name)),
  ]);
  const remarks = projectRemarks(listAt(facts, 'projects')).map((text): readonly [string, Cell] => [
    'project policy',
    { text, tone: 'warn' },
  ]);
  output.lines(
    pairs([...told.filter(([, cell]) => cell.text !== ''), ...remarks], output.paint, output.width),
  );
  output.note(`\`sub query --run ${escapeText(run.runId)}\` lists its calls`);
}

/** A run of another place: who says so, and all that it says, as events of Contract A. */
export function showIngestedRun({ output }: Call, reader: LedgerReader, run: IngestedRun): void {
  const facts = ingestedJson(run);
  if (output.json) {
    output.value({ run: facts });
    for (const event of ingestedEvents(reader, run.key)) output.value(event);
    return;
  }
  const said = ['source', 'verified', 'by', 'run_id', 'agent_id', 'events', 'ended', 'ingested_at'];
  output.lines(
    pairs(
      said.map((name) => [
        name,
        { text: name === 'source' ? canonicalize(facts[name] ?? null) : textAt(facts, name) },
      ]),
      output.paint,
    ),
  );
  output.line('');
  for (const event of ingestedEvents(reader, run.key)) {
    const call = [textAt(event, 'call', 'server_name'), textAt(event, 'call', 'tool_name')].filter(
      (part) => part !== '',
    );
    const how =
      textAt(event, 'decision', 'action') || textAt(event, 'status') || textAt(event, 'run', 'status');
    const parts = [
      wholeTimeOf(textAt(event, 'ts')),
      textAt(event, 'type'),
      call.join('.'),
      how && wordFor(how),
    ];
    output.line(escapeText(parts.filter((part) => part !== '').join('  ')));
  }
}

function runCell(name: string, text: string): Cell {
  if (name !== 'status') return { text: wholeTimeOf(text) };
  const word = wordFor(text);
  return { text: word, tone: toneOf(word) };
}
