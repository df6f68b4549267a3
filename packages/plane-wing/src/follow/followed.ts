import type { EntryInput, EntryType } from '@subluminal/ledger';

/** An entry that is durable, and where it stands. */
export interface Recorded {
  readonly seq: number;
  readonly entry: EntryInput;
}

/** The blob that holds the preview of a call's arguments. */
export const PREVIEW = 'call.preview.args_preview';

/** Entries that tell of an agent's work. */
export const FOLLOWED: ReadonlySet<EntryType> = new Set<EntryType>([
  'run_start',
  'tool_call_start',
  'tool_call_decision',
  'tool_call_end',
  'hook_event',
  'run_end',
]);
