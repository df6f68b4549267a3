import { redact } from '@subluminal/core-types';
import type { Client, ClientFile } from '../client.js';

/** Lines beside a change that are shown. */
const CONTEXT = 3;
/** Texts that differ in more lines than this are shown as a whole. */
const MAX_CHANGES = 1_000;
/** A longer line is cut: some clients write everything into one. */
const MAX_COLUMNS = 1_000;

/** The words that `shimArgs` writes behind the home, up to the `--`. */
const OUR_PASS = /(?:, "--pass", "[A-Za-z0-9_]{1,256}")+(?=, "--")/g;

/**
 * The difference of a file's texts as a unified diff for people: values of variables and headers, and what
 * looks like a credential, are masked in it. Empty where they are the same.
 */
export function shownDiff(
  client: Client,
  file: ClientFile,
  before: string,
  after: string,
): readonly string[] {
  if (before === after) return [];
  const [old, fresh] = [before, after].map((text) => linesOf(shown(client.masked(file, text))));
  return unified(old ?? [], fresh ?? [], file.path);
}

/** The names behind our own `--pass` are no passwords, and the reader wants to see them. */
function shown(text: string): string {
  const kept = text.replace(OUR_PASS, (found) => found.replaceAll('--pass', '--p\ue000ass'));
  return redact(kept).text.replaceAll('--p\ue000ass', '--pass');
}

/** A unified diff of lines, with a hunk for each place that changed. */
export function unified(old: readonly string[], fresh: readonly string[], name: string): readonly string[] {
  const steps = shortestEdit(old, fresh);
  const lines = [`--- ${name}`, `+++ ${name}`];
  for (const [from, to] of hunks(steps)) {
    const hunk = steps.slice(from, to);
    const left = hunk.filter(({ sign }) => sign !== '+');
    const right = hunk.filter(({ sign }) => sign !== '-');
    const start = steps[from];
    lines.push(`@@ -${range(start?.old ?? 0, left.length)} +${range(start?.fresh ?? 0, right.length)} @@`);
    lines.push(...hunk.map(({ sign, text }) => sign + cut(text)));
  }
  return lines;
}

/** One line of a comparison, and how many lines of either text stand before it. */
interface Step {
  readonly sign: '-' | '+' | ' ';
  readonly text: string;
  readonly old: number;
  readonly fresh: number;
}

/** Myers's greedy algorithm: as many rounds as lines differ. */
function shortestEdit(old: readonly string[], fresh: readonly string[]): readonly Step[] {
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
    ...old.map((text, index): Step => ({ sign: '-', text, old: index, fresh: 0 })),
    ...fresh.map((text, index): Step => ({ sign: '+', text, old: old.length, fresh: index })),
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
): readonly Step[] {
  const steps: Step[] = [];
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

/** From where to where steps are shown. */
function hunks(steps: readonly Step[]): readonly (readonly [number, number])[] {
  const found: [number, number][] = [];
  for (const [index, { sign }] of steps.entries()) {
    if (sign === ' ') continue;
    const last = found.at(-1);
    const from = Math.max(0, index - CONTEXT);
    const to = Math.min(steps.length, index + CONTEXT + 1);
    if (last !== undefined && from <= last[1]) last[1] = to;
    else found.push([from, to]);
  }
  return found;
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function range(before: number, count: number): string {
  return `${count === 0 ? before : before + 1},${count}`;
}

function cut(line: string): string {
  return line.length <= MAX_COLUMNS ? line : `${line.slice(0, MAX_COLUMNS)}…`;
}
