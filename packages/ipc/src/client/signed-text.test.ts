import { canonicalize, isJsonObject, parseJson } from '@subluminal/core-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerOf } from './answer.js';
import { answerTextOf, readAnswerText } from './signed-text.js';

const head = {
  requestId: 'AbCdEfGh00000001',
  timestamp: '2026-01-02T03:04:05.678Z',
  status: 'success',
  auditRef: `17.${'ab'.repeat(32)}`,
  signature: 'a'.repeat(43),
};

/** As a gateway writes it: the head, then the members of the canonical body. */
function answerText(body: object): string {
  const start = JSON.stringify(head);
  const text = canonicalize(body);
  return text === '{}' ? start : `${start.slice(0, -1)},${text.slice(1)}`;
}

const bodies = fc.record(
  {
    data: fc.jsonValue({ maxDepth: 4 }),
    error: fc.record({ code: fc.string(), message: fc.string({ unit: 'binary' }) }),
  },
  { requiredKeys: [] },
);

function slow(text: string) {
  const frame = parseJson(text);
  return isJsonObject(frame) ? answerOf(frame) : undefined;
}

describe('an answer that is cut instead of parsed', () => {
  it('has the body that is signed, and reads as the parser reads it', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const text = answerText(body);
        const cut = answerTextOf(text);
        expect(cut?.body).toBe(canonicalize(body));
        if (cut !== undefined) expect(canonicalize(readAnswerText(cut))).toBe(canonicalize(slow(text)));
      }),
      { numRuns: 500 },
    );
  });

  it('says nothing else than the parser does, whatever is changed in it', () => {
    fc.assert(
      fc.property(bodies, fc.nat(), fc.nat(3), fc.string({ maxLength: 3 }), (body, from, length, text) => {
        const whole = answerText(body);
        const at = from % whole.length;
        const changed = whole.slice(0, at) + text + whole.slice(at + length);
        const cut = answerTextOf(changed);
        const parsed = attempt(() => slow(changed));
        if (cut === undefined || parsed === undefined) return;
        expect(canonicalize(attempt(() => readAnswerText(cut)) ?? null)).toBe(canonicalize(parsed));
      }),
      { numRuns: 3000 },
    );
  });

  it('keeps numbers that no double holds', () => {
    const cut = answerTextOf(`${JSON.stringify(head).slice(0, -1)},"data":9007199254740993}`);
    expect(cut?.body).toBe('{"data":9007199254740993}');
    expect(cut === undefined ? '' : canonicalize(readAnswerText(cut)?.data)).toBe('9007199254740993');
  });

  it.each([
    ['another order', '{"timestamp":"2026-01-02T03:04:05.678Z","requestId":"a"}'],
    ['an escape in the head', String.raw`{"requestId":"\u0041bcdefgh","timestamp":"2026","status":"success"`],
    ['no comma', `${JSON.stringify(head).slice(0, -1)} "data":1}`],
    ['no answer', '{"event":{}}'],
  ])('is none with %s', (_name, text) => {
    expect(answerTextOf(text)).toBeUndefined();
  });
});

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
