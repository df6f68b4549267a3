/** A place that a request wants to reach. `host` is canonical (`parseDestination` makes it so). */
export interface AllowQuery {
  readonly host: string;
  readonly port: number;
  readonly protocol: string;
  /** Another word for it that an entry may have. */
  readonly inside?: string;
}

/** The operator's list of places, as decisions ask it. The wing `net` is behind it. */
export interface Allowed {
  /**
   * Rises with every change of the list, and of the rule for names that are not listed. A decision made under
   * another generation is made again.
   */
  readonly generation: number;
  /** The entry that lets a place through; undefined where none does. */
  find(query: AllowQuery): { readonly allow_private: boolean } | undefined;
}
