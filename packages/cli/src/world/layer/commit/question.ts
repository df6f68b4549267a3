import { type Agreed, type Change, type Diff, type Layer, patchesOf, shown } from '@subluminal/layers';
import { byteCount } from '../../../output/time.js';
import { reasonsOf, SIGNS } from '../change-lines.js';
import type { Naming } from '../chosen-layer.js';
import { cutLine } from './cut-line.js';

/** Changes that are shown with their lines, the lines of each, and of all. */
const MOST_PATCHES = 20;
const MOST_OF_ONE = 20;
const MOST_LINES = 200;
const MOST_ASKS = 100;
const LONGEST = 200;

/**
 * The changes that a person is asked about, as `pinned` gave them, each with its reasons and, of the first
 * ones, the lines that differ: of the bytes that are pinned, or none. No line is wider than the terminal, and
 * what is cut says so; names and lines cannot act on it.
 */
export function questionLines(
  asks: readonly Agreed[],
  { layer, diff }: { readonly layer: Layer; readonly diff: Diff },
  columns: number,
  name: Naming,
): readonly string[] {
  const width = Math.min(columns, LONGEST);
  const changes = new Map(diff.changes.map((change) => [change.path, change]));
  let room = MOST_LINES;
  const lines = asks.slice(0, MOST_ASKS).flatMap((ask, at) => {
    const change = changes.get(ask.path);
    const head = [
      cutLine(`${change === undefined ? '?' : SIGNS[change.how]} ${shown(ask.path)}`, width),
      ...reasonsOf(ask).map((reason) => cutLine(`    ${reason}`, width)),
    ];
    if (change === undefined || at >= MOST_PATCHES || room <= 0) return head;
    const own = patchLines({ ...change, after: ask.after }, layer, Math.min(MOST_OF_ONE, room));
    room -= own.lines.length;
    const more =
      own.more === 0
        ? []
        : [name(`… ${own.more} more lines: \`sub world diff --patch PATH\` shows all`, [ask.path])];
    return [...head, ...[...own.lines, ...more].map((line) => cutLine(`    ${line}`, width))];
  });
  const more = asks.length - MOST_ASKS;
  return [
    ...lines.map(({ text }) => text),
    ...(lines.some(({ isCut }) => isCut)
      ? [name('`[… more …]` is cut: `sub world diff --patch` shows all')]
      : []),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

function patchLines(change: Change, layer: Layer, most: number): Patch {
  const [patch = []] = [...patchesOf([change], layer)];
  // The two names stand before the first lines that differ, and in them such a text may be the file's own.
  const at = patch.findIndex((line) => line.startsWith('@@ '));
  const lines = at < 3 ? patch.slice(1) : [...patch.slice(1, at - 2), ...patch.slice(at)];
  const size = change.after?.kind === 'file' ? [byteCount(change.after.size)] : [];
  const all = [...size, ...lines];
  return { lines: all.slice(0, most), more: Math.max(0, all.length - most) };
}

/** The first lines of a change, and how many more there are. */
interface Patch {
  readonly lines: readonly string[];
  readonly more: number;
}
