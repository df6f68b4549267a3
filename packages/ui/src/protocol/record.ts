import type { JsonObject } from '@subluminal/core-types/portable';
import type { Row } from './rows.js';

/** All of one record. The objects are those of `sub show --json` and `sub why --json` (docs/cli.md). */
export interface RecordDetail {
  readonly row: Row;
  readonly record: JsonObject;
  /** Its entries with their previews, oldest first. */
  readonly entries: readonly JsonObject[];
  readonly flags: readonly JsonObject[];
  /** The decision, rule by rule; null if no policy decided, or if its policy is not known any more. */
  readonly trace: JsonObject | null;
  /** Why there is no trace. */
  readonly trace_problem: string | null;
  readonly hint: JsonObject | null;
  /** The hash of what is shown of the hint, for `promote`. */
  readonly hint_shown: string | null;
  readonly call_id: string | null;
  /** How the question that it asked ended, in words; null if there was none, and as long as it is open. */
  readonly ended: string | null;
  /** Of what was refused: how to let such a thing pass, a sentence each, with the commands in backticks. */
  readonly ways: readonly string[];
}
