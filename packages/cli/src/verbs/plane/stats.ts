import { isJsonObject, type JsonObject, type JsonValue, listAt, textAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { span } from '../../output/time.js';
import { type PlaneTally, planeTallies } from '../../plane/tallies.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { flag, type Values } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { withRecord } from '../../record/open.js';

const FLAGS = { reset: flag('take back what was learnt of the length of windows') };

/** `sub plane stats`: what the plane decided, in numbers, and what it has learnt. */
export function defineStats(group: Command, does: Does): void {
  does(subVerb(group, 'stats', 'count what the plane decided, and tell what it learnt'), FLAGS, stats);
}

async function stats(call: Call<Values<typeof FLAGS>>): Promise<number> {
  const { output } = call;
  if (call.flags.reset) {
    await assertOutsideRun(call);
    const done = await askOperator(call.home, call.session.now, 'plane.forget');
    const rows = isJsonObject(done) ? Number(textAt(done, 'forgotten')) : 0;
    if (output.json) output.value({ forgotten: rows });
    else output.line(`${rows} learnt lengths are taken back`);
    return EXIT.done;
  }
  const learnt = listAt(await askOperator(call.home, call.session.now, 'plane.learnt'), 'rows');
  const tallies = await withRecord(call.home, (reader) => planeTallies(reader));
  if (output.json) {
    output.value({ clients: tallies.map(tallyJson), learnt: [...learnt] });
    return EXIT.done;
  }
  if (tallies.length === 0) output.note('the plane has decided nothing yet');
  output.lines(tallies.flatMap(tallyLines).map((line) => escapeText(line)));
  output.lines(learnt.map(learntLine));
  return EXIT.done;
}

function tallyJson(tally: PlaneTally): JsonObject {
  const { signalsOff, ...rest } = tally;
  return { ...rest, signals_off: [...signalsOff] };
}

function tallyLines({ boundaries, checkpoints, client, sessions, signalsOff, skips, steers }: PlaneTally) {
  const listed = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none';
  return [
    `${client}, ${sessions} ${sessions === 1 ? 'session' : 'sessions'}`,
    `  boundaries: ${listed(boundaries)}`,
    `  steers: ${steers}`,
    `  checkpoints: ${listed(checkpoints)}`,
    `  not done: ${listed(skips)}`,
    ...(signalsOff.length === 0 ? [] : [`  not looked at: ${signalsOff.join(', ')}`]),
  ];
}

function learntLine(row: JsonValue): string {
  const of = [textAt(row, 'repository'), textAt(row, 'task'), textAt(row, 'mix')].join(' ');
  const usual = `${textAt(row, 'actions')} calls, ${span(Number(textAt(row, 'ms')))}`;
  return escapeText(`learnt ${of}: ${usual}, of ${textAt(row, 'windows')} windows`);
}
