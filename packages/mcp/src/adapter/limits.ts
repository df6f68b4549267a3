/** The bounds of one session. */
export interface SessionLimits {
  /** MAX_INSPECT_BYTES: larger messages are spooled and decided without their content. */
  readonly maxInspectBytes: number;
  /** Messages beyond this are refused: they would fill the disk. */
  readonly maxMessageBytes: number;
  /** Bytes of messages that wait in memory, a direction, before no more are read. */
  readonly maxQueuedBytes: number;
  /** Bytes of messages that wait in spools, a direction, before no more are read. */
  readonly maxSpooledBytes: number;
  /** Messages that wait for their turn or their decision, a direction, before no more are read. */
  readonly maxQueued: number;
  /** Requests of the client that wait for their answers; one more is refused. */
  readonly maxInFlight: number;
  /**
   * Requests of the server that wait for the client. Far fewer: each is a call of the run until it is
   * answered, and a server that asks and asks must not use up the calls that all servers of the run share.
   */
  readonly maxAsked: number;
}

export const DEFAULT_LIMITS: SessionLimits = {
  maxInspectBytes: 1_048_576,
  maxMessageBytes: 1_073_741_824,
  maxQueuedBytes: 4_194_304,
  maxSpooledBytes: 268_435_456,
  maxQueued: 1024,
  maxInFlight: 4096,
  maxAsked: 64,
};
