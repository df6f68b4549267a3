import { describe, expect, it } from 'vitest';
import { withWaiver } from './waiver.js';

const WAIVER = { rule_id: 'drafts', server_name: 'files', tool_name: 'write_file', args_hash: 'a' } as const;

describe('what is waived for a run', () => {
  it('does not grow with a hint that is promoted once more', () => {
    const once = withWaiver([], WAIVER);
    expect(once).toEqual([WAIVER]);
    expect(withWaiver(once, { ...WAIVER })).toBe(once);
  });

  it.each([{ rule_id: 'b' }, { server_name: 'b' }, { tool_name: 'b' }, { args_hash: null }])(
    'grows with another one: %j',
    (other) => {
      expect(withWaiver([WAIVER], { ...WAIVER, ...other })).toHaveLength(2);
    },
  );
});
