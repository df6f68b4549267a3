/** Texts that differ in more lines than this are shown as a whole. */
const MAX_CHANGES = 1_000;

/** One line of a comparison, and how many lines of either text stand before it. */
export interface LineEdit {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
  readonly old: number;
  readonly fresh: number;
}

/**
 * The fewest lines to take out of `old`, and to put in, to get `fresh`, and those that stay. Myers's greedy
 * algorithm: as many rounds as lines differ.
 */
export function lineEdits(old: readonly string[], fresh: readonly string[]): readonly LineEdit[] {
  const rounds: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let changes = 0; changes <= MAX_CHANGES; changes += 1) {
    rounds.push(new Map(reach));
    const next = new Map<number, number>();
    for (let lane = -changes; lane <= changes; lane += 2) {
      let at = furthest(reach, lane, changes);
      while (at < old.length && at - lane < fresh.length && old[at] === fresh[at - lane]) at += 1;
      next.set(lane, at);
      if (at >= old.length && at - lane >= fresh.length) return walkBack(rounds, old, fresh);
    }
    reach = next;
  }
  return [
    ...old.map((text, index): LineEdit => ({ sign: '-', text, old: index, fresh: 0 })),
    ...fresh.map((text, index): LineEdit => ({ sign: '+', text, old: old.length, fresh: index })),
  ];
}

function furthest(reach: ReadonlyMap<number, number>, lane: number, changes: number): number {
  const below = reach.get(lane - 1) ?? -1;
  const above = reach.get(lane + 1) ?? -1;
  return lane === -changes || (lane !== changes && below < above) ? above : below + 1;
}

function walkBack(
  rounds: readonly ReadonlyMap<number, number>[],
  old: readonly string[],
  fresh: readonly string[],
): readonly LineEdit[] {
  const steps: LineEdit[] = [];
  let [left, right] = [old.length, fresh.length];
  for (let changes = rounds.length - 1; changes >= 0; changes -= 1) {
    const reach = rounds[changes] ?? new Map<number, number>();
    const lane = left - right;
    const start = furthest(reach, lane, changes);
    const isAdded =
      start === (reach.get(lane + 1) ?? -1) && (lane === -changes || isAbove(reach, lane, changes));
    while (left > start && right > start - lane) {
      left -= 1;
      right -= 1;
      steps.push({ sign: ' ', text: old[left] ?? '', old: left, fresh: right });
    }
    if (changes === 0) break;
    if (isAdded) {
      right -= 1;
      steps.push({ sign: '+', text: fresh[right] ?? '', old: left, fresh: right });
    } else {
      left -= 1;
      steps.push({ sign: '-', text: old[left] ?? '', old: left, fresh: right });
    }
  }
  return steps.toReversed();
}

function isAbove(reach: ReadonlyMap<number, number>, lane: number, changes: number): boolean {
  return lane !== changes && (reach.get(lane - 1) ?? -1) < (reach.get(lane + 1) ?? -1);
}
