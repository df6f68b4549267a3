/** Fewer characters would be found in texts that hold no secret. */
const MIN_SECRET_CHARACTERS = 8;
/** The most that a variable takes everywhere. */
export const MAX_SECRET_BYTES = 32_768;

/** The parts of JSON outside of its strings: its words, also cut off, its numbers and its brackets. */
const OUTSIDE_STRINGS =
  /^(?:r?ue|e|a?lse|se|u?ll|l)?(?:true|false|null|[-0-9.eE+{}[\]:,\s])*(?:t|tr|tru|f|fa|fal|fals|n|nu|nul)?$/;

/**
 * Why a text cannot be a secret, in words for a person; undefined when it can. `redact`: it is to be taken
 * out of the messages to a client, which needs a text that stands in strings alone.
 */
export function secretProblem(value: string, { redact }: { readonly redact: boolean }): string | undefined {
  if (Array.from(value).length < MIN_SECRET_CHARACTERS)
    return `it has fewer than ${MIN_SECRET_CHARACTERS} characters, so it could not be told from other text`;
  if (new TextEncoder().encode(value).length > MAX_SECRET_BYTES)
    return `it has more than ${MAX_SECRET_BYTES} bytes`;
  if (value.includes('\0')) return 'it holds a NUL, which no variable can';
  if (!value.isWellFormed()) return 'it is not well-formed text';
  if (value.trim() === '') return 'it is blank';
  if (redact && OUTSIDE_STRINGS.test(value))
    return 'it could be a number of a message, and cannot be taken out of messages: `redact = false` leaves them as they are';
  return undefined;
}
