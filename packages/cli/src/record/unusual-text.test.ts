import { unusualCounts } from '@subluminal/records';
import { describe, expect, it } from 'vitest';
import { unusualText } from './unusual-text.js';

describe('what was unusual about a run', () => {
  it('is one line at its end, the rarest first', () => {
    const unusual = { new_domain: 12, send_after_untrusted_read: 1, unusual_volume: 2 };
    expect(unusualText({ unusual })).toBe(
      '15 unusual: send_after_untrusted_read, unusual_volume (2), new_domain (12)',
    );
  });

  it('is nothing where nothing was, or the entry says something else', () => {
    expect(unusualText({})).toBeUndefined();
    expect(unusualText({ unusual: { new_domain: 0, other: 'many' } })).toBeUndefined();
    expect(unusualCounts({ unusual: ['x'] })).toEqual([]);
  });
});
