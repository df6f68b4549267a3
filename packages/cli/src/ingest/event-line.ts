import {
  AnyEvent,
  canonicalize,
  ForeignRunId,
  isJsonObject,
  isSublError,
  parseJson,
  redact,
  shownEvent,
  type JsonObject,
} from '@subluminal/core-types';

/** An event of another place as it is taken in: without what looks like a credential. */
export interface ForeignEvent {
  readonly event: JsonObject;
  /** Its canonical text. */
  readonly text: string;
  readonly runId: string;
  readonly type: string;
}

/** Deep enough for every event that a gateway writes, with room for the entry around it. */
const MAX_DEPTH = 48;
/** Longest line; the canonical text of an event is never longer than its line. */
const MAX_CHARS = 262_144;

/** Reads one line; a text says what is wrong with it. */
export function readForeignEvent(line: string): ForeignEvent | string {
  if (line.length > MAX_CHARS) return `it has more than ${MAX_CHARS} characters`;
  try {
    const parsed = parseJson(line, { maxDepth: MAX_DEPTH });
    if (!isJsonObject(parsed)) return 'it is no JSON object';
    const plain = canonicalize(parsed);
    const event = redact(plain).count === 0 ? parsed : shownEvent(parsed);
    const text = canonicalize(event);
    const { run_id: runId, type } = event;
    if (!AnyEvent.safeParse(event).success) return 'it is no event of Contract A';
    if (typeof runId !== 'string' || typeof type !== 'string' || !ForeignRunId.safeParse(runId).success)
      return 'its `run_id` is no id: letters, digits and `._:-` (256 at most, no `..`, and `.`, `:` and `-` not first)';
    if (text.length > MAX_CHARS) return `it has more than ${MAX_CHARS} characters`;
    return { event, text, runId, type };
  } catch (error) {
    if (isSublError(error)) return error.message;
    throw error;
  }
}
