import { shellWord, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { policyByHash } from '../deciding/policies.js';
import { hintOfCall } from '../hints.js';
import { type QuestionEnd, questionEndOf, questionOf } from '../questions/ends.js';
import { type CallRecord, factsOf, toolOf } from '../record.js';
import { runEnd } from '../runs/runs.js';
import { reachWay } from './reach.js';

/** The facts of a refusal that say how to go on. */
export interface RefusalFacts {
  readonly record: CallRecord;
  readonly callId: string;
  readonly ruleId: string;
  /** Whose policy decided, and the file of a project's; empty where the record does not tell it. */
  readonly of: ReturnType<typeof factsOf>['of'];
  readonly projectFile: string;
  /** It got a hint, and its run goes on: until then the hint can be promoted for the run. */
  readonly isForRun: boolean;
  /** How its question ended; undefined if that is open, and if there was none. */
  readonly end: QuestionEnd | undefined;
}

/** Reads those facts out of the ledger. */
export function refusalFacts(reader: LedgerReader, record: CallRecord): RefusalFacts {
  const { ruleId, of } = factsOf(record);
  const hash = textAt(record.decision?.data ?? null, 'policy', 'policy_hash');
  return {
    record,
    callId: textAt(record.first.data, 'call', 'call_id'),
    ruleId,
    of,
    projectFile: of === 'project' ? fileOf(reader, hash) : '',
    isForRun:
      hintOfCall(reader, record) !== undefined &&
      record.first.runId !== null &&
      runEnd(reader, record.first.runId) === undefined,
    end: questionEndOf(reader, record),
  };
}

/** The file of the project's policy with that hash; empty where the record does not tell it. */
function fileOf(reader: LedgerReader, hash: string): string {
  const policy = policyByHash(reader, hash);
  return policy.found ? textAt(policy.entry?.data ?? null, 'file') : '';
}

/** How a question is answered, by the number of the call. */
export function askedText(seq: number): string {
  return `a person was asked: \`sub approvals show ${seq}\`, as long as the question is open`;
}

/**
 * How to go on from a refusal, a sentence each, with the commands in backticks. A run is told of no way that
 * it may not go. Files and servers stand in it as they are: escape it for a terminal.
 */
export function waysOf(refusal: RefusalFacts, isOutside: boolean): readonly string[] {
  const { record, callId } = refusal;
  const on = isOutside ? waysOn(refusal) : [];
  if (toolOf(record) === null) return [...on, `\`sub show ${record.first.seq}\` has all of it`];
  const common = `\`sub policy explain ${callId}\` says what each rule made of it`;
  return isAsked(refusal) ? [...on, common] : [common, ...on];
}

/** Of these ways those that let such a thing pass, which are the operator's alone. */
export function waysOn(refusal: RefusalFacts): readonly string[] {
  const { record, ruleId, of, isForRun } = refusal;
  const { seq } = record.first;
  if (toolOf(record) === null) return [reachWay(record)].filter((way) => way !== undefined);
  if (ruleId === '') return [];
  if (isAsked(refusal)) return [askedText(seq)];
  if (of !== 'home') return otherWays(refusal);
  const byRule = `\`sub hints promote ${seq} --persist\` lets calls like it pass, by a rule in the policy file`;
  // It passes as the answer says: a rule is for those that come.
  if (refusal.end?.answer === 'yes') return [byRule];
  return [
    isForRun && questionOf(record) === undefined
      ? `\`sub hints promote ${seq}\` lets calls like it pass in this run; with \`--persist\` for good`
      : byRule,
    'or edit the policy file: `sub policy lint` checks it, and it takes effect by itself',
  ];
}

/** A person was asked, and the question is open. */
function isAsked({ record, ruleId, end }: RefusalFacts): boolean {
  return ruleId !== '' && questionOf(record) !== undefined && end === undefined;
}

/** A policy beside that of the home narrows it: only its own text lets more pass. */
function otherWays({ of, projectFile }: RefusalFacts): readonly string[] {
  if (of === 'run')
    return ['the policy that `sub run --policy` gave the run refuses it: edit that file for the next run'];
  const file = projectFile === '' ? '' : ` ${shellWord(projectFile)}`;
  return [
    `the project's own policy refuses it: edit it, then \`sub policy trust${file}\``,
    `\`sub policy untrust${file}\` leaves that policy out`,
  ];
}
