/**
 * The most that is remembered of servers and their tools. Beyond it nothing is forgotten: lists are refused
 * instead.
 */
export interface PinLimits {
  readonly servers: number;
  /** Kinds of clients, by what they can do, whose first list of one server is taken. */
  readonly clients: number;
  /** Pinned or held, of one server and of all. */
  readonly tools: number;
  readonly allTools: number;
  /** Bytes (UTF-8) of one definition; a larger one is held and cannot be approved. */
  readonly definitionBytes: number;
  /** Bytes of all definitions of one server: none takes what all have together. */
  readonly serverBytes: number;
  /** Bytes of all definitions together. */
  readonly allBytes: number;
  /** Lists that are being read page by page, and how much of them waits in memory. */
  readonly openLists: number;
  readonly openBytes: number;
  readonly pages: number;
}

export const PIN_LIMITS: PinLimits = {
  servers: 1024,
  clients: 8,
  tools: 4096,
  allTools: 65_536,
  definitionBytes: 262_144,
  serverBytes: 33_554_432,
  allBytes: 268_435_456,
  openLists: 256,
  openBytes: 33_554_432,
  pages: 1024,
};
