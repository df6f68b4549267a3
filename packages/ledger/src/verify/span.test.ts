import { describe, expect, it } from 'vitest';
import { KINDS } from '../entry/kinds.js';
import { FileSpan } from './span.js';

type Entry = readonly [kind: number, data: string];
const OPENING: Entry = [KINDS.segment_opened, '{"base":"b","segment":2}'];
const CLOSING: Entry = [KINDS.segment_closed, '{"segment":2}'];
const SEAL: Entry = [KINDS.seal, '{}'];
const RESTORED: Entry = [KINDS.restored, '{}'];
const OTHER: Entry = [KINDS.shim_health, '{}'];

/**
 * The first finding among the entries of file 2, which are numbered from 10 on, and what may be said of it
 * then.
 */
function walked(opening: string | null, ...entries: readonly Entry[]): unknown {
  const span = new FileSpan(2, opening);
  for (const [at, [kind, data]] of entries.entries()) {
    const finding = span.check(10 + at, kind, data);
    if (finding !== null) return `${finding.class} ${finding.seq}: ${finding.detail}`;
  }
  return [span.isStrict && 'strict', span.isWhole && 'whole', span.hasEnded && 'ended'].filter(Boolean);
}

describe('a file that goes on from another', () => {
  it.each([
    ['before its first entry', [], ['strict']],
    ['behind its first entry', [OPENING], ['whole']],
    ['behind any other entry', [OPENING, OTHER, SEAL], ['whole']],
    ['behind the entry that closes it', [OPENING, OTHER, CLOSING], ['strict']],
    ['behind the seal over that', [OPENING, CLOSING, SEAL], ['strict', 'whole', 'ended']],
    ['behind a restore that brought it back', [OPENING, CLOSING, SEAL, RESTORED], ['whole']],
    [
      'where it is closed again',
      [OPENING, CLOSING, SEAL, RESTORED, CLOSING, SEAL],
      ['strict', 'whole', 'ended'],
    ],
  ] as const)('is followed %s', (_, entries, state) => {
    expect(walked(OPENING[1], ...entries)).toEqual(state);
  });

  it.each([
    ['begins with another kind', [[KINDS.shim_health, OPENING[1]]], 10, 'it does not commit'],
    ['begins with other data', [[KINDS.segment_opened, '{}']], 10, 'it does not commit'],
    ['is opened again', [OPENING, OPENING], 11, 'it opens a file that is open'],
    ['is not sealed at its end', [OPENING, CLOSING, OTHER], 12, 'the end of its file is not sealed'],
    ['is closed twice', [OPENING, CLOSING, CLOSING], 12, 'the end of its file is not sealed'],
    ['goes on behind its end', [OPENING, CLOSING, SEAL, OTHER], 13, 'it follows the end of its file'],
    ['is sealed behind its end', [OPENING, CLOSING, SEAL, SEAL], 13, 'it follows the end of its file'],
    [
      'closes another file',
      [OPENING, [KINDS.segment_closed, '{"segment":3}']],
      11,
      'it closes another file than its own',
    ],
  ] as const)('is refused where it %s', (_, entries, seq, why) => {
    expect(walked(OPENING[1], ...entries)).toContain(`segment ${seq}: ${why}`);
  });
});

describe('the first file', () => {
  it('may begin with any entry but one that opens a file', () => {
    expect(walked(null)).toEqual(['whole']);
    expect(walked(null, OTHER)).toEqual(['whole']);
    expect(walked(null, CLOSING, SEAL)).toEqual(['strict', 'whole', 'ended']);
    expect(walked(null, OPENING)).toBe('segment 10: it opens a file that is open');
  });
});
