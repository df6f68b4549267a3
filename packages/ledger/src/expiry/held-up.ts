import type { MissingSegments } from '../read/places.js';

/**
 * The file that keeps previews behind it from expiring, because it is not there; undefined where none does.
 * `upTo`: the last entry whose previews have expired, 0 where none are known to.
 */
export function holdsUpExpiry(
  missing: readonly MissingSegments[],
  upTo: number,
): MissingSegments | undefined {
  // Newest first: the oldest one comes first on the way up.
  return missing.findLast(({ last }) => last > upTo);
}
