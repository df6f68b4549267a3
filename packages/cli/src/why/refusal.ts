import { SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import {
  answersByRule,
  type CallRecord,
  findCallStart,
  findRow,
  isOfDoctor,
  isTooWide,
  questionOf,
  recordAround,
  type RefusalFacts,
  refusalFacts,
  type RuleAnswers,
  search,
} from '@subluminal/records';
import type { Call } from '../program/call.js';
import { ruleIn, type RuleInFile } from './rule-in.js';

/** The facts of one refusal, for people and for programs. */
export interface Refusal extends RefusalFacts {
  /** Undefined where its file does not have it. */
  readonly rule: RuleInFile['rule'] | undefined;
  /** The file is not the policy that decided. */
  readonly isChanged: boolean;
  /** The answers to its questions, where people say yes nearly always. */
  readonly tooWide: RuleAnswers | undefined;
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
  const facts = refusalFacts(reader, record);
  const { of, projectFile, ruleId } = facts;
  const hash = textAt(record.decision?.data ?? null, 'policy', 'policy_hash');
  const file = { home: home.policy, project: projectFile, run: '' }[of];
  const found = ruleId === '' || file === '' ? undefined : ruleIn({ of, file }, ruleId);
  const answers =
    questionOf(record) === undefined
      ? undefined
      : answersByRule(reader, session.now() - MONTH_MS).get(ruleId);
  return {
    ...facts,
    rule: found?.rule,
    isChanged: found !== undefined && found.hash !== hash,
    tooWide: answers !== undefined && isTooWide(answers) ? answers : undefined,
  };
}
