import type { Binding } from '../keys/keys.js';
import type { List } from './list.js';

/** The keys that move in a list. */
export function listKeys<Row>(list: () => List<Row> | null, toEnd: () => void): readonly Binding[] {
  const step = (by: number): void => list()?.step(by);
  return [
    { keys: ['j', 'ArrowDown'], says: 'down', isCommon: true, run: () => step(1) },
    { keys: ['k', 'ArrowUp'], says: 'up', isCommon: true, run: () => step(-1) },
    { keys: ['PageDown'], says: 'a page down', run: () => step(list()?.pageLength ?? 1) },
    { keys: ['PageUp'], says: 'a page up', run: () => step(-(list()?.pageLength ?? 1)) },
    { keys: ['Home'], says: 'to the beginning', run: () => list()?.select(0) },
    { keys: ['End'], says: 'to the end', run: toEnd },
    { keys: ['Enter'], says: 'open', isCommon: true, run: () => list()?.open() },
  ];
}
