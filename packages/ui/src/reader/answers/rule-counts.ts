import { type JsonObject, textAt } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';
import { endsOf, ownerOf, questionIn, refuses } from '@subluminal/records';

const PAGE = 1000;
const PATIENCE_MS = 400;

/** How often the rules of each policy decided. */
export interface RuleCounts {
  readonly of: (owner: string, rule: string) => Counted;
  /** Older decisions were not counted. */
  readonly isPartial: boolean;
}

/** Decisions of a rule. */
interface Counted {
  readonly hits: number;
  /** Of them those that let nothing pass, and asked nobody. */
  readonly refused: number;
  /** Those that asked a person; of them those that were approved, denied, and lapsed. Others are open. */
  readonly asked: number;
  readonly approved: number;
  readonly denied: number;
  readonly lapsed: number;
}

type Open = { -readonly [Name in keyof Counted]: Counted[Name] };

const NONE: Counted = { hits: 0, refused: 0, asked: 0, approved: 0, denied: 0, lapsed: 0 };
const ENDS = { yes: 'approved', no: 'denied', closed: 'lapsed' } as const;

/** Whose policy it is, as `RuleCounts` keys it: that of the home, of a project's file, or of runs by its id. */
export function ownerKey(of: 'home' | 'project' | 'run', name: string): string {
  return of === 'home' ? of : `${of} ${name}`;
}

/** Counts the decisions since then, newest first, until patience ends. */
export function ruleCounts(reader: LedgerReader, since: number, now: () => number): RuleCounts {
  const counts = new Map<string, Open>();
  const asked = new Map<string, Open>();
  const isPartial = eachSince(reader, since, now, (row) => {
    const rule = textAt(row.data, 'decision', 'rule_id');
    if (rule === '') return;
    const key = keyOf(ownerIn(row.data), rule);
    const known = counts.get(key) ?? { ...NONE };
    counts.set(key, known);
    known.hits += 1;
    const question = questionIn(row.data);
    if (question === undefined) known.refused += refuses(row) ? 1 : 0;
    else {
      known.asked += 1;
      asked.set(question, known);
    }
  });
  if (asked.size > 0)
    for (const [id, { answer }] of endsOf(reader, new Set(asked.keys()), since)) {
      const known = asked.get(id);
      if (known !== undefined) known[ENDS[answer]] += 1;
    }
  return { of: (owner, rule) => counts.get(keyOf(owner, rule)) ?? NONE, isPartial };
}

/** `asked 4: 1 approved, 1 lapsed, 2 open; refused 3`; empty for a rule that did neither. */
export function howText({ approved, asked, denied, lapsed, refused }: Counted): string {
  const ends = [
    [approved, 'approved'],
    [denied, 'denied'],
    [lapsed, 'lapsed'],
    [asked - approved - denied - lapsed, 'open'],
  ] as const;
  const told = ends.flatMap(([count, word]) => (count > 0 ? [`${count} ${word}`] : []));
  return [
    ...(asked === 0 ? [] : [`asked ${asked}: ${told.join(', ')}`]),
    ...(refused === 0 ? [] : [`refused ${refused}`]),
  ].join('; ');
}

/** Gives whether patience ended before all of them were looked at. */
function eachSince(
  reader: LedgerReader,
  since: number,
  now: () => number,
  take: (row: LedgerRow) => void,
): boolean {
  const until = now() + PATIENCE_MS;
  let cursor: number | null = null;
  for (;;) {
    const page: ReturnType<LedgerReader['byType']> = reader.byType('tool_call_decision', {
      limit: PAGE,
      cursor,
    });
    for (const row of page.rows) {
      if (row.ts < since) return false;
      take(row);
    }
    if (page.next === null) return false;
    if (now() > until) return true;
    cursor = page.next;
  }
}

function ownerIn(data: JsonObject): string {
  const of = ownerOf(data);
  const name =
    of === 'project'
      ? textAt(data, 'facts', 'policies', 'project', 'file')
      : textAt(data, 'policy', 'policy_id');
  return ownerKey(of, name);
}

function keyOf(owner: string, rule: string): string {
  return `${owner}\n${rule}`;
}
