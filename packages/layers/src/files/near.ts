/** A file's time that Node sets is this near to the one that it was told, in nanoseconds. */
const NEAR_NS = 1000n;

/** Whether two times of files are one, as far as a commit can set them. */
export function isNear(one: bigint, other: bigint): boolean {
  const apart = one - other;
  return apart < NEAR_NS && apart > -NEAR_NS;
}
