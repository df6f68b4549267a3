import { toWellFormed } from '../json/well-formed.js';
import { type FindValues, joined, NO_VALUES } from './mask.js';
import { mask } from './redact.js';
import { findSecrets } from './secrets.js';

export const MAX_PREVIEW_BYTES = 16_384;

/** How far beyond the shown part secrets are looked for, so that the border cannot hide the shape of one. */
const LOOKAHEAD = 2048;

/** A text fit to be stored and shown. */
export interface Preview {
  readonly text: string;
  /** The preview does not show all of the source. */
  readonly truncated: boolean;
  readonly redactions: number;
}

/**
 * The start of `text`, redacted first and then cut to at most `maxBytes` of UTF-8 between two characters. No
 * secret is shown in part: what reaches the border is judged as if it went on. The result is well-formed (a
 * lone surrogate becomes U+FFFD). Cost is bounded by `maxBytes`, not by the text.
 */
export function previewOf(
  text: string,
  maxBytes: number = MAX_PREVIEW_BYTES,
  values: FindValues = NO_VALUES,
): Preview {
  const head = text.slice(0, maxBytes + LOOKAHEAD);
  const cut = head.length < text.length;
  const spans = findSecrets(head, { cut });
  const shown = joined(spans, values(head, cut)).filter(({ start }) => start < maxBytes);
  const masked = toWellFormed(mask(head, shown, wholeCharacters(head, maxBytes)));
  const bytes = cutToBytes(masked, maxBytes);
  const truncated = text.length > maxBytes || bytes.length < masked.length;
  return { text: bytes, truncated, redactions: spans.filter(({ start }) => start < maxBytes).length };
}

/** `limit`, or one less where it would split a surrogate pair. */
function wholeCharacters(text: string, limit: number): number {
  const code = text.codePointAt(limit - 1) ?? 0;
  return code > 0xffff ? limit - 1 : limit;
}

function cutToBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}
