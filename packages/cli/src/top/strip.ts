import { type JsonObject, numberAt, objectAt, textAt } from '@subluminal/core-types';
import { escapeText } from '../output/escape.js';
import type { Tone } from '../output/style.js';

/** One sentence of the head of the screen. */
export interface Told {
  readonly text: string;
  readonly tone: Tone;
}

/** The facts that the head of the screen is made of. */
export interface Standing {
  /** The answer of `gateway.status`; undefined: no gateway answers. */
  readonly status: JsonObject | undefined;
  readonly entries: number;
  /** Questions and the like in words, and how they are answered; empty: nothing waits. */
  readonly waiting: string;
}

/** The head of the screen: first of all that which wants a person, then what runs, by which policy. */
export function stripOf({ status, entries, waiting }: Standing): readonly Told[] {
  if (status === undefined)
    return [
      { text: 'no gateway runs: `sub up` starts it', tone: 'bad' },
      { text: recordText(entries), tone: 'dim' },
    ];
  const says = (...keys: readonly string[]): string => escapeText(textAt(status, ...keys));
  const stopped = says('panicked', 'since');
  const mistake = says('policy', 'error', 'message');
  const egress = says('proxy', 'mode');
  return [
    ...(stopped === ''
      ? []
      : [
          {
            text: `everything is stopped since ${stopped}: \`sub resume\` lets go`,
            tone: 'bad' as const,
          },
        ]),
    ...(mistake === ''
      ? []
      : [{ text: 'policy.yaml is not in force: `sub policy lint` says why', tone: 'bad' as const }]),
    ...(waiting === '' ? [] : [{ text: `waits for you: ${waiting}`, tone: 'warn' as const }]),
    { text: `${says('runs', 'live')} live`, tone: 'good' },
    { text: `policy ${says('policy', 'policy_id')} ${says('policy', 'mode')}`, tone: 'plain' },
    ...(egress === '' ? [] : [{ text: `egress ${egress}`, tone: 'plain' as const }]),
    ...roomOf(status),
    { text: recordText(entries), tone: 'dim' },
  ];
}

/** Room that runs out is told before it is gone. */
function roomOf(status: JsonObject): readonly Told[] {
  const level = textAt(objectAt(status, 'ledger', 'budget'), 'level');
  if (level === 'full') return [{ text: 'no room: nothing new begins', tone: 'bad' }];
  if (level !== 'previews' && level !== 'warn') return [];
  const used = numberAt(status, 'ledger', 'budget', 'used_bytes') ?? 0;
  const most = numberAt(status, 'ledger', 'budget', 'max_bytes') ?? used;
  return [{ text: `${Math.round((100 * used) / Math.max(1, most))} % of the room used`, tone: 'warn' }];
}

function recordText(entries: number): string {
  return `${entries.toLocaleString('en-US')} entries`;
}
