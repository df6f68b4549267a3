/** The most that one look takes in. */
export interface Bounds {
  readonly names: number;
  /** Of the paths of all names: one path may have a hundred thousand. */
  readonly bytes: number;
}

/** The bounds of a look at a layer: a path of 160 bytes for each name. */
export const BOUNDS: Bounds = { names: 200_000, bytes: 33_554_432 };
