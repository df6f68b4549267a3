import type { HeadsLine } from '../head/heads-log.js';

/**
 * The size of a restore that the ledger tells of and no line of heads.log does, though the log reaches back to it. The
 * line is written first, so there is none without it; and without this check the log key alone, to which no seal is
 * bound, could put a fresh seal key in force.
 */
export function undeclaredRestore(
  restores: readonly { readonly size: number }[],
  lines: readonly HeadsLine[],
): number | undefined {
  const [first] = lines;
  if (first === undefined) return undefined;
  const declared = new Set(lines.filter((line) => line.restored).map((line) => line.size));
  return restores.find(({ size }) => size >= first.size && !declared.has(size))?.size;
}
