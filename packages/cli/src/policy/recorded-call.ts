import { objectAt, textAt } from '@subluminal/core-types';
import { explainedJson, wordFor, type ExplainedCall } from '@subluminal/records';
import { clipObject } from '../output/escape.js';
import type { Cell } from '../output/table.js';
import { wholeTime } from '../output/time.js';
import { nameOf, reasonOf, verdictOf } from '../record/lines.js';
import type { Explanation } from './explanation.js';

const KEPT: Readonly<Record<ExplainedCall['kept'], string>> = {
  whole: 'all kept',
  part: 'not all kept',
  uninspected: 'too large to be inspected',
};

/** A longer object is cut. */
const MAX_OBJECT = 300;

/** The explanation of a recorded call, as it is shown. */
export function explanationOf(call: ExplainedCall): Explanation {
  return { about: aboutPairs(call), aboutJson: explainedJson(call), ruling: call.ruling, notes: call.notes };
}

function aboutPairs({ decision, file, kept, of, policy, record }: ExplainedCall): Explanation['about'] {
  const ref = objectAt(decision.data, 'policy');
  const mode = policy.found ? `, mode ${policy.snapshot.mode}` : '';
  const whose = of === 'run' ? ', which the run was given' : of === 'project' ? `, of ${file ?? ''}` : '';
  const shadow = textAt(decision.data, 'decision', 'shadow');
  const continues = textAt(decision.data, 'call', 'continues');
  const verdict: Cell =
    shadow === '' ? verdictOf(record) : { text: `allowed (observe: ${wordFor(shadow)})`, tone: 'warn' };
  return [
    ['what', { text: nameOf(record), tone: 'bold' }],
    ['object', { text: clipObject(record.object ?? '', MAX_OBJECT) }],
    ['recorded', verdict],
    ['why', { text: reasonOf(record) }],
    ...(continues === '' ? [] : [['continues', { text: continues }] as const]),
    ['when', { text: wholeTime(decision.ts) }],
    ['run', { text: decision.runId ?? '' }],
    ['policy', { text: `${textAt(ref, 'policy_id')} ${textAt(ref, 'policy_version')}${mode}${whose}` }],
    ['hash', { text: textAt(ref, 'policy_hash') }],
    ['arguments', { text: KEPT[kept] }],
  ];
}
