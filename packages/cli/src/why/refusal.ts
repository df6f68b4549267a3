import { SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  answersByRule,
  factsOf,
  findCallStart,
  findRow,
  hintOfCall,
  isOfDoctor,
  isTooWide,
  policyByHash,
  recordAround,
  runEnd,
  search,
  type CallRecord,
  type QuestionEnd,
  type RuleAnswers,
} from '@subluminal/records';
import type { Call } from '../program/call.js';
import { questionEndOf, questionOf } from '../record/asked.js';
import { ruleIn, type RuleInFile } from './rule-in.js';

/** The facts of one refusal, for people and for programs. */
export interface Refusal {
  readonly record: CallRecord;
  readonly callId: string;
  readonly ruleId: string;
  /** Undefined where its file does not have it. */
  readonly rule: RuleInFile['rule'] | undefined;
  /** Whose policy decided, and the file of a project's. */
  readonly of: ReturnType<typeof factsOf>['of'];
  readonly projectFile: string;
  /** The file is not the policy that decided. */
  readonly isChanged: boolean;
  /** It got a hint, and its run goes on: until then the hint can be promoted for the run. */
  readonly isForRun: boolean;
  /** The answers to its questions, where people say yes nearly always. */
  readonly tooWide: RuleAnswers | undefined;
  /** How its question ended; undefined if that is open, and if there was none. */
  readonly end: QuestionEnd | undefined;
}

/** Among so many refusals the last one that `sub doctor` did not ask for is looked for. */
const NEWEST = 20;
/** The answers of so long a time say whether a rule is too wide. */
const MONTH_MS = 30 * 86_400_000;

/** The call that is named, else the last one that was refused. Throws `not_found`. */
export function refused(reader: LedgerReader, named: string | undefined): CallRecord {
  if (named === undefined) {
    const { records } = search(reader, { refused: true }, NEWEST, null);
    const record = records.find(({ first }) => !isOfDoctor(first)) ?? records[0];
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

/** The facts of a refusal. */
export function refusalOf({ home, session }: Call, reader: LedgerReader, record: CallRecord): Refusal {
  const { ruleId, of } = factsOf(record);
  const callId = textAt(record.first.data, 'call', 'call_id');
  const hash = textAt(record.decision?.data ?? null, 'policy', 'policy_hash');
  const projectFile = of === 'project' ? fileOf(reader, hash) : '';
  const file = { home: home.policy, project: projectFile, run: '' }[of];
  const found = ruleId === '' || file === '' ? undefined : ruleIn({ of, file }, ruleId);
  const answers =
    questionOf(record) === undefined
      ? undefined
      : answersByRule(reader, session.now() - MONTH_MS).get(ruleId);
  return {
    record,
    callId,
    ruleId,
    of,
    projectFile,
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

/** The file of the project's policy with that hash; empty where the record does not tell it. */
function fileOf(reader: LedgerReader, hash: string): string {
  const policy = policyByHash(reader, hash);
  return policy.found ? textAt(policy.entry?.data ?? null, 'file') : '';
}
