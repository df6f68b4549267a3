/** The five meanings that a colour has, and the two that have none. Each comes with a glyph and a word. */
export type Meaning = 'allow' | 'refused' | 'slowed' | 'hint' | 'waits' | 'failed' | 'plain';

/** How something is shown: the meaning chooses the colour; glyph and word say the same without it. */
export interface Mark {
  readonly meaning: Meaning;
  readonly glyph: string;
  readonly word: string;
}

const MARKS: Readonly<Record<string, Mark>> = {
  ALLOW: { meaning: 'allow', glyph: '·', word: 'allow' },
  BLOCK: { meaning: 'refused', glyph: '✕', word: 'BLOCK' },
  TERMINATE_RUN: { meaning: 'refused', glyph: '■', word: 'TERMINATE' },
  THROTTLE: { meaning: 'slowed', glyph: '◷', word: 'THROTTLE' },
  REJECT_WITH_HINT: { meaning: 'hint', glyph: '↩', word: 'HINT' },
  ASKED: { meaning: 'waits', glyph: '?', word: 'WAIT' },
  requires_approval: { meaning: 'waits', glyph: '?', word: 'WAIT' },
  rejected: { meaning: 'refused', glyph: '✕', word: 'BLOCK' },
  rate_limited: { meaning: 'slowed', glyph: '◷', word: 'THROTTLE' },
  success: { meaning: 'allow', glyph: '·', word: 'ok' },
  error: { meaning: 'failed', glyph: '!', word: 'ERROR' },
  pending: { meaning: 'allow', glyph: '…', word: 'open' },
};

/** The mark of a decision or of the status of an action. */
export function markOf(code: string | null): Mark {
  if (code === null) return { meaning: 'allow', glyph: '…', word: 'open' };
  return Object.hasOwn(MARKS, code)
    ? (MARKS[code] ?? { meaning: 'plain', glyph: '', word: code })
    : { meaning: 'plain', glyph: '', word: code };
}

/** The mark of how a call ended that was let through; null where it went well or is still open. */
export function endMark(status: string | null): Mark | null {
  if (status === 'ERROR' || status === 'TIMEOUT' || status === 'error')
    return { meaning: 'failed', glyph: '!', word: status.toUpperCase() };
  if (status === 'CANCELLED') return { meaning: 'plain', glyph: '–', word: 'cancelled' };
  return null;
}
