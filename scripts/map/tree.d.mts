/** The rooms that each room imports from. */
export type Imports = ReadonlyMap<string, ReadonlySet<string>>;
/** Rooms of one drawing, and their lines. */
export interface Rooms {
  readonly imports: Imports;
  readonly lines: ReadonlyMap<string, number>;
}
export interface Tree {
  readonly files: { readonly imports: Imports };
  readonly packages: Rooms;
  readonly core: Rooms;
  /** The number of files of each folder. */
  readonly folders: ReadonlyMap<string, number>;
}

export function readTree(root: string): Tree;
