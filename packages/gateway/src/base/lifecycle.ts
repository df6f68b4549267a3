/** Something that goes on from the start of the gateway to its stop. */
export interface Lifecycle {
  readonly name: string;
  start(): Promise<void> | void;
  /** Resolves when nothing of it goes on any more. */
  stop(): Promise<void> | void;
}
