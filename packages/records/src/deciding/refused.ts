import { SublError, textAt } from '@subluminal/core-types';
import type { LedgerReader } from '@subluminal/ledger';
import { callsWithId, findCallStart, namesEntry } from '../find.js';
import { factsOf, recordOf, toolOf, type CallRecord } from '../record.js';

/** A call that a rule refused, or would have refused where its policy only observed. */
export interface RefusedCall {
  readonly record: CallRecord;
  readonly runId: string;
  readonly callId: string;
  readonly server: string;
  readonly tool: string;
  readonly ruleId: string;
}

/**
 * Finds the call by its id or the number of an entry of it. Throws `not_found`; `usage` if calls of
 * several runs have that id; `failed` where it was not refused, or by no rule.
 */
export function refusedCall(reader: LedgerReader, named: string): RefusedCall {
  const start = findCallStart(reader, named);
  const record = start === undefined ? undefined : recordOf(reader, start);
  const tool = record === undefined ? null : toolOf(record);
  const runId = start?.runId ?? null;
  if (record === undefined || tool === null || runId === null) {
    throw new SublError('not_found', `there is no call \`${named}\``, {
      help: '`sub hints list` lists the calls that were given a hint, `sub query` all calls',
    });
  }
  const callId = textAt(record.first.data, 'call', 'call_id');
  if (!namesEntry(named)) assertOnly(reader, callId);
  const decision = record.decision?.data ?? null;
  const action = textAt(decision, 'decision', 'shadow') || record.decision?.code || 'ALLOW';
  if (action === 'ALLOW') {
    throw new SublError('failed', `call \`${callId}\` was not refused`, {
      help: '`sub show CALL` says what became of it',
    });
  }
  const { of } = factsOf(record);
  if (of !== 'home') {
    const [whose, help] = NARROWING[of];
    throw new SublError('failed', `call \`${callId}\` was refused by ${whose}, which nothing lifts`, {
      help,
    });
  }
  const ruleId = textAt(decision, 'decision', 'rule_id');
  if (ruleId === '') {
    throw new SublError('failed', `call \`${callId}\` was refused by no rule, so there is none to lift`, {
      help: 'write an allow rule into the policy for it: what no rule matches is refused there',
    });
  }
  return { record, runId, callId, server: tool[0], tool: tool[1], ruleId };
}

/** Policies beside that of the home, and how they are changed. */
const NARROWING = {
  run: [
    'the policy that its run was given',
    'change the file that was given with `--policy`, and run it again',
  ],
  project: ['the policy of its project', 'change its `.subluminal.yaml`, and trust it again'],
} as const;

/** Calls that an error names. */
const MAX_TOLD = 5;

/** Nothing is lifted for a call that may not be the one that is meant. */
function assertOnly(reader: LedgerReader, callId: string): void {
  const all = callsWithId(reader, callId, MAX_TOLD + 1);
  if (all.length < 2) return;
  const told = all.slice(0, MAX_TOLD).map(({ seq, runId }) => `\`${seq}\` (run \`${runId ?? 'none'}\`)`);
  const more = all.length > MAX_TOLD ? ', …' : '';
  throw new SublError('usage', `\`${callId}\` is the id of several calls`, {
    help: `name one by its number: ${told.join(', ')}${more}`,
  });
}
