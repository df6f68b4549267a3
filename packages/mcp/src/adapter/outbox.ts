/** Bytes that wait outside of memory. */
export interface Stored {
  readonly length: number;
  /** At most `size` bytes from `position`; fewer only at the end. */
  read(position: number, size: number): Buffer;
  /** Gives the space back. Closing twice is fine. */
  close(): void;
}

/** The bytes that a message is forwarded from. */
export type Payload = Buffer | Stored;

/** The room that a message takes while it waits. */
export interface Room {
  /** Bytes that are held in memory. */
  readonly held: number;
  /** Bytes that are held in a spool. */
  readonly spooled: number;
  /** Whether we say it ourselves. */
  readonly own: boolean;
}

/** A message's place in its direction. Exactly one of `send` and `drop` is called, once. */
export interface Place {
  /** The message goes out, after everything that has an earlier place. */
  send(payload: Payload): void;
  /** The message goes nowhere. */
  drop(): void;
}

/** One direction of a session, as those who judge its messages see it. */
export interface Outbox {
  /**
   * Takes the next place, for a message that takes so much room. `original` is what came, where it did not
   * come from us: what the place is sent in the end may be something else.
   */
  reserve(room: Room, original?: Payload): Place;
}
