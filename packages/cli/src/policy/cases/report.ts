import { canonicalize, type JsonValue } from '@subluminal/core-types';
import type { CaseFailure, CaseResult, PolicyProblem, TraceStep } from '@subluminal/policy';
import { wordFor } from '@subluminal/records';
import { escapeText } from '../../output/escape.js';
import type { Output } from '../../output/output.js';
import { counted } from '../../output/counted.js';
import { problemLines } from '../problems.js';

/** The outcome of one file of cases. */
export interface FileReport {
  readonly file: string;
  readonly policy: string | null;
  /** Mistakes of the cases, or of the policy, with the text they stand in. */
  readonly problems: readonly PolicyProblem[];
  readonly faulty: { readonly name: string; readonly text: string } | null;
  readonly cases: readonly CaseResult[];
}

/** Whether everything in a file came out as expected. A file without cases proves nothing. */
export function passed({ problems, cases }: FileReport): boolean {
  return problems.length === 0 && cases.length > 0 && cases.every(({ ok }) => ok);
}

/** One file for people. */
export function reportLines(report: FileReport, output: Output): readonly string[] {
  const { file, problems, faulty, cases } = report;
  if (faulty !== null) return problemLines(faulty.name, faulty.text, problems, output);
  const empty = cases.length === 0 ? [`  ${output.paint('bad', 'FAIL')}  there are no cases in it`] : [];
  return [
    output.paint('bold', escapeText(file)),
    ...empty,
    ...cases.flatMap((one) => caseLines(one, output)),
  ];
}

function caseLines({ name, line, calls, ok, failures }: CaseResult, { paint }: Output): readonly string[] {
  if (ok) return [`  ${paint('good', 'ok')}    ${escapeText(name)} (${counted(calls, 'call')})`];
  const [first] = failures;
  return [
    `  ${paint('bad', 'FAIL')}  ${escapeText(name)} (line ${line})`,
    ...(first === undefined ? [] : [`        ${placeOf(first)}`]),
    ...failures.map((failure) => `          ${differenceOf(failure, true)}`),
    ...(first?.decision ? [`        ${paint('dim', escapeText(first.decision.summary))}`] : []),
    ...(first?.trace ?? []).map((step) => paint('dim', `          ${stepText(step)}`)),
  ];
}

function placeOf({ call, time, line, tool }: CaseFailure): string {
  const which = time === 1 ? '' : ` (made ${time} times)`;
  return `call ${call}${which}: ${escapeText(tool)} (line ${line})`;
}

function differenceOf({ field, expected, got }: CaseFailure, inWords: boolean): string {
  const what = field === null ? '' : `${field}: `;
  const isAction = inWords && field === 'action';
  return `${what}expected ${shown(expected, isAction)}, got ${shown(got, isAction)}`;
}

/** A value as the file has it; of an action the word of people stands before it. */
function shown(value: JsonValue, isAction: boolean): string {
  const text = escapeText(typeof value === 'string' ? value : canonicalize(value));
  return isAction ? `${wordFor(text)} (${text})` : text;
}

/** The outcome of one rule. */
function stepText({ rule_id: id, kind, outcome, field, note, meter }: TraceStep): string {
  const reading = meter === undefined ? '' : ` ${meter.used} of ${meter.limit} ${meter.unit}`;
  const more = [field, note].filter((text) => text !== undefined).join(': ');
  const name = id ?? kind;
  return escapeText(
    `${name.padEnd(24)} ${kind.padEnd(10)} ${wordFor(outcome)}${reading}${more === '' ? '' : ` (${more})`}`,
  );
}

/** All files as one stream of the Test Anything Protocol, version 13. */
export function tapLines(reports: readonly FileReport[]): readonly string[] {
  const points = reports.flatMap((report) => pointsOf(report));
  return [
    'TAP version 13',
    `1..${points.length}`,
    ...points.flatMap(({ ok, name, why }, at) => [
      `${ok ? 'ok' : 'not ok'} ${at + 1} - ${tapName(name)}`,
      ...why.map((line) => `  # ${escapeText(line)}`),
    ]),
  ];
}

interface Point {
  readonly ok: boolean;
  readonly name: string;
  readonly why: readonly string[];
}

function pointsOf({ file, problems, cases }: FileReport): readonly Point[] {
  if (problems.length > 0 || cases.length === 0) {
    const why = problems.map(({ line, column, message }) => `${line}:${column}: ${message}`);
    return [{ ok: false, name: file, why: problems.length === 0 ? ['there are no cases in it'] : why }];
  }
  return cases.map(({ name, ok, failures }) => ({
    ok,
    name: `${file}: ${name}`,
    why: failures.map((failure) => `${placeOf(failure)}: ${differenceOf(failure, false)}`),
  }));
}

/** A `#` begins a directive there. */
function tapName(name: string): string {
  return escapeText(name).replaceAll('#', String.raw`\#`);
}
