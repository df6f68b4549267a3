/** The five meanings that a colour has, and the two that have none. Each comes with a glyph and a word. */
export type Meaning = 'allow' | 'refused' | 'slowed' | 'hint' | 'waits' | 'failed' | 'plain';

/** How something is shown: the meaning chooses the colour; glyph and word say the same without it. */
export interface Mark {
  readonly meaning: Meaning;
  readonly glyph: string;
  readonly word: string;
}

/** Words of tables (`sub tail`, `sub query`) and of the filter; instead of `hinted` one that says more. */
const MARKS: Readonly<Record<string, Mark>> = {
  ALLOW: { meaning: 'allow', glyph: '·', word: 'allowed' },
  BLOCK: { meaning: 'refused', glyph: '✕', word: 'refused' },
  TERMINATE_RUN: { meaning: 'refused', glyph: '■', word: 'ended' },
  THROTTLE: { meaning: 'slowed', glyph: '◷', word: 'slowed' },
  REJECT_WITH_HINT: { meaning: 'hint', glyph: '↩', word: 'refused · hint' },
  ASKED: { meaning: 'waits', glyph: '?', word: 'asked' },
  requires_approval: { meaning: 'waits', glyph: '?', word: 'asked' },
  rejected: { meaning: 'refused', glyph: '✕', word: 'refused' },
  rate_limited: { meaning: 'slowed', glyph: '◷', word: 'slowed' },
  success: { meaning: 'allow', glyph: '·', word: 'ok' },
  error: { meaning: 'failed', glyph: '!', word: 'failed' },
  stopped: { meaning: 'refused', glyph: '■', word: 'stopped' },
  resumed: { meaning: 'allow', glyph: '▸', word: 'resumed' },
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
  if (status === 'ERROR' || status === 'error') return { meaning: 'failed', glyph: '!', word: 'failed' };
  if (status === 'TIMEOUT') return { meaning: 'failed', glyph: '!', word: 'timeout' };
  if (status === 'CANCELLED') return { meaning: 'plain', glyph: '–', word: 'cancelled' };
  return null;
}
