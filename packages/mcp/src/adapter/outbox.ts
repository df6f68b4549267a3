import type { Spool } from '../spool/spool.js';

/** What a message is forwarded from. */
export type Payload = Buffer | Spool;

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
  /** Takes the next place, for a message that takes so much room. */
  reserve(room: Room): Place;
}
