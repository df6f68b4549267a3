/** Node sets a time in microseconds, of a fraction of seconds: it is this near to the one it was told. */
const NEAR_NS = 2000n;

/** Whether two times of files are one, as far as a commit can set them. */
export function isNear(one: bigint, other: bigint): boolean {
  const apart = one - other;
  return apart < NEAR_NS && apart > -NEAR_NS;
}
