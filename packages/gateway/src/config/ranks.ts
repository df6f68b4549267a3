/** Whether the second value of a setting may let something pass that the first one held back. */
export type IsLooser = (old: unknown, now: unknown) => boolean;

/** Of a setting that holds nothing back. */
export const neverLooser: IsLooser = () => false;

/** Of a setting of which more lets more pass; without a value there is no limit. */
export const isMore: IsLooser = (old, now) => !(sizeOf(now) <= sizeOf(old));

/** From the strictest word to the loosest. A word that is not listed counts as looser. */
export function isLater(...order: readonly unknown[]): IsLooser {
  return (old, now) => !order.includes(now) || order.indexOf(now) > order.indexOf(old);
}

/** Whether the second list has an item that the first has not. */
export const hasMore: IsLooser = (old, now) => {
  const known = new Set([old].flat());
  return [now].flat().some((item) => !known.has(item));
};

function sizeOf(value: unknown): number {
  return typeof value === 'number' ? value : Infinity;
}
