/** A size of `config.toml` in bytes. */
export function mebibytes(count: number | 'unlimited'): number {
  return count === 'unlimited' ? Number.POSITIVE_INFINITY : count * 1_048_576;
}
