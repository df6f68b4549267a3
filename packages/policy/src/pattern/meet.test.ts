import { describe, expect, it } from 'vitest';
import { alternativesOf, meets } from './meet.js';

const [HOLE, STAR, ONE] = ['\uE000', '\uE001', '\uE002'];

describe('a name with marks and a glob', () => {
  it.each([
    [`id_${STAR}`, 'id_rsa'],
    [`${ONE}${ONE}_rsa`, 'id_rsa'],
    [`i${HOLE}a`, 'id_{rsa,dsa}'],
    [`a${STAR}.pem`, '*.pem'],
    [`.s${STAR}`, '.ssh'],
    [`a${HOLE}`, '*'],
    [`id${STAR}`, '*'],
    [`id${STAR}`, '{x,}*'],
    [`id${STAR}`, '*{.pem,}'],
  ])('%j and %s share a name', (name, glob) => {
    expect(meets(name, alternativesOf(glob))).toBe(true);
  });

  it.each([
    [`id_${STAR}`, 'key_rsa'],
    [`${ONE}_rsa`, 'id_rsa'],
    [`${STAR}sh`, '.ssh'],
    [`${ONE}ssh`, '.ssh'],
    [`a${STAR}`, '*.pem'],
    [`a${STAR}b`, 'a'],
  ])('%j and %s share none', (name, glob) => {
    expect(meets(name, alternativesOf(glob))).toBe(false);
  });

  it('what has too many alternatives, or takes too long, is taken to share one', () => {
    expect(alternativesOf('{a,b}'.repeat(7))).toBeUndefined();
    expect(meets('a', undefined)).toBe(true);
    expect(meets(`x${`a${STAR}`.repeat(200)}x`, alternativesOf('x'.repeat(400)))).toBe(true);
  });
});
