import { askedText, endedText, endJson, questionEndOf, questionOf } from '../record/asked.js';
import { SublError, textAt } from '@subluminal/core-types';
import { placeOfRule } from '@subluminal/policy';
import {
  answersByRule,
  factsOf,
  findCallStart,
  findRow,
  hintOfCall,
  isTooWide,
  outcomeOf,
  recordAround,
  runEnd,
  search,
  toolOf,
  type CallRecord,
  type QuestionEnd,
  type RuleAnswers,
} from '@subluminal/records';
import type { LedgerReader } from '@subluminal/ledger';
import type { Command } from 'commander';
import { isOutsideRun } from '../gateway/outside-run.js';
import { clipObject, escapeText } from '../output/escape.js';
import { wrapped } from '../output/table.js';
import { readPolicy } from '../policy/source.js';
import { EXIT } from '../program/exit/codes.js';
import type { Call } from '../program/call.js';
import { takesId, type Does } from '../program/verb.js';
import { nameOf, reasonOf, shortRun, verdictOf } from '../record/lines.js';
import { shareText } from './stats.js';
import { withRecord } from '../record/open.js';
import { ago } from '../output/time.js';

/** The facts of one refusal, for people and for programs. */
interface Refusal {
  readonly record: CallRecord;
  readonly callId: string;
  readonly ruleId: string;
  /**
   * The lines of the rule in `policy.yaml`, with the number of the first; undefined where it is not there.
   */
  readonly rule: { readonly line: number; readonly text: string } | undefined;
  /** The file is not the policy that decided. */
  readonly isChanged: boolean;
  /** It got a hint, and its run goes on: until then the hint can be promoted for the run. */
  readonly isForRun: boolean;
  /** The answers to its questions, where people say yes nearly always. */
  readonly tooWide: RuleAnswers | undefined;
  /** How its question ended; undefined if that is open, and if there was none. */
  readonly end: QuestionEnd | undefined;
}

/** The answers of so long a time say whether a rule is too wide. */
const MONTH_MS = 30 * 86_400_000;

/** A longer object is cut. */
const MAX_OBJECT = 240;

/** `sub why [CALL]`: why a call was refused, by which lines of the policy, and how to go on. */
export function define(command: Command, does: Does): void {
  does(
    takesId(command, '[call]', 'its id or the number of its entry; the last refusal unless given'),
    {},
    async (call) => {
      const named = call.args.length === 0 ? undefined : call.id(0, 'call');
      const refusal = await withRecord(call.home, (reader) =>
        refusalOf(call, reader, refused(reader, named)),
      );
      if (call.output.json) call.output.value(asJson(refusal));
      else print(call, refusal, await isOutsideRun(call));
      return EXIT.done;
    },
  );
}

function refused(reader: LedgerReader, named: string | undefined): CallRecord {
  if (named === undefined) {
    const [record] = search(reader, { refused: true }, 1, null).records;
    if (record !== undefined) return record;
    throw new SublError('not_found', 'nothing was refused', {
      help: '`sub query` lists all calls, `sub report` what a policy that observes would have refused',
    });
  }
  const row = findCallStart(reader, named) ?? findRow(reader, named);
  const record = row === undefined ? undefined : recordAround(reader, row);
  if (record === undefined)
    throw new SublError('not_found', `there is no call \`${named}\``, {
      help: '`sub query` lists all calls',
    });
  return record;
}

function refusalOf({ home, session }: Call, reader: LedgerReader, record: CallRecord): Refusal {
  const { ruleId } = factsOf(record);
  const callId = textAt(record.first.data, 'call', 'call_id');
  const hash = textAt(record.decision?.data ?? null, 'policy', 'policy_hash');
  const found = ruleId === '' ? undefined : ruleIn(home.policy, ruleId);
  const answers =
    questionOf(record) === undefined
      ? undefined
      : answersByRule(reader, session.now() - MONTH_MS).get(ruleId);
  return {
    record,
    callId,
    ruleId,
    rule: found?.rule,
    isChanged: found !== undefined && found.hash !== hash,
    isForRun:
      hintOfCall(reader, record) !== undefined &&
      record.first.runId !== null &&
      runEnd(reader, record.first.runId) === undefined,
    end: questionEndOf(reader, record),
    tooWide: answers !== undefined && isTooWide(answers) ? answers : undefined,
  };
}

interface RuleInFile {
  readonly rule: Refusal['rule'];
  readonly hash: string;
}

/** The rule as the file has it; undefined for a file that is not there, or cannot be read. */
function ruleIn(path: string, ruleId: string): RuleInFile | undefined {
  try {
    const { text, result } = readPolicy(path);
    if (!result.ok) return undefined;
    const index = result.snapshot.places.get(ruleId);
    const place = index === undefined ? undefined : placeOfRule(text, index);
    if (place === undefined) return undefined;
    const line = text.slice(0, place.at).split('\n').length;
    return { rule: { line, text: `- ${place.item}` }, hash: result.snapshot.policy_hash };
  } catch (error) {
    if (error instanceof SublError) return undefined;
    throw error;
  }
}

function print(call: Call, refusal: Refusal, isOutside: boolean): void {
  const { record, rule, isChanged, tooWide } = refusal;
  const { output, session, home } = call;
  const { text: verdict } = verdictOf(record);
  const object = record.object === null ? '' : ` \`${clipObject(escapeText(record.object), MAX_OBJECT)}\``;
  const when = ago(record.first.ts, session.now());
  const what = `${escapeText(nameOf(record))}${object}: ${verdict} ${when}, in run ${shortRun(record.first.runId)}`;
  const reason = escapeText(reasonOf(record)) || 'nothing stood against it';
  const end = refusal.end === undefined ? [] : [escapeText(endedText(refusal.end))];
  output.lines([what, reason, ...end].flatMap((text) => wrapped(text, output.width)));
  if (rule !== undefined) {
    output.line('');
    output.line(output.paint('dim', `${home.policy}:${rule.line}${isChanged ? ' (changed since)' : ''}`));
    // The lines behind the first stand as far in as the file has them.
    output.lines(`  ${rule.text}`.split('\n').map((line) => escapeText(line)));
  }
  const ways = [
    ...(tooWide === undefined || !isOutside
      ? []
      : [`the rule is too wide: ${shareText(tooWide)}; \`sub stats\` names the edit that would narrow it`]),
    ...waysOf(refusal, isOutside),
  ];
  if (ways.length === 0) return;
  output.line('');
  output.lines(ways.flatMap((way) => wrapped(way, output.width)));
}

/** A run is told of no way that it may not go. */
function waysOf({ record, callId, ruleId, isForRun, end }: Refusal, isOutside: boolean): readonly string[] {
  const seq = String(record.first.seq);
  if (toolOf(record) === null) return [`\`sub show ${seq}\` has all of it`];
  const common = [`\`sub policy explain ${callId}\` says what each rule made of it`];
  if (!isOutside || ruleId === '') return common;
  const questionId = questionOf(record);
  if (questionId !== undefined && end === undefined) return [askedText(questionId), ...common];
  return [
    ...common,
    isForRun && questionId === undefined
      ? `\`sub hints promote ${seq}\` lets calls like it pass in this run; with \`--persist\` for good`
      : `\`sub hints promote ${seq} --persist\` lets calls like it pass, by a rule in the policy file`,
    '`sub policy lint` checks the file after an edit; it takes effect by itself',
  ];
}

function asJson({
  record,
  callId,
  ruleId,
  rule,
  isChanged,
  tooWide,
  end,
}: Refusal): Readonly<Record<string, string | number | boolean | null | Readonly<Record<string, string>>>> {
  return {
    seq: record.first.seq,
    call_id: callId === '' ? null : callId,
    what: nameOf(record),
    object: record.object,
    outcome: outcomeOf(record),
    why: reasonOf(record),
    rule_id: ruleId === '' ? null : ruleId,
    rule_line: rule?.line ?? null,
    rule_text: rule?.text ?? null,
    policy_changed: isChanged,
    too_wide: tooWide !== undefined,
    answer: endJson(end),
  };
}
