import type { LedgerRow } from '@subluminal/ledger';
import type { HintRecord } from '@subluminal/records';
import { describe, expect, it } from 'vitest';
import { Output } from '../../output/output.js';
import { showHints } from './list.js';

const ROW: LedgerRow = {
  seq: 7,
  type: 'hint_issued',
  code: null,
  ts: Date.parse('2026-01-02T03:04:05Z'),
  runId: 'AbCdEfGhIjKlMnOp',
  ref: null,
  tool: ['a-server-with-a-name', 'a_tool_with_a_name'],
  leaf: '',
  runIndex: 1,
  requestId: null,
  blobs: {},
  data: {
    call: { call_id: 'AbCdEfGh00000001' },
    hint: { hint_text: 'do it in another way than this', hint_kind: 'BUDGET' },
  },
};
const DECIDED = { ...ROW, data: { decision: { rule_id: 'a-rule-with-a-name' } } };

const hint = (promoted: LedgerRow | null): HintRecord => ({
  row: ROW,
  call: { first: ROW, start: null, decision: DECIDED, end: null } as unknown as HintRecord['call'],
  promoted,
});

describe('the list of hints', () => {
  it('stands in 80 columns, with the numbers that `show` and `promote` take', () => {
    let shown = '';
    const sink = {
      isTTY: true,
      columns: 80,
      write: (text: string) => ((shown += text), true),
      on: () => undefined,
    };
    const output = new Output({ stdout: sink, stderr: sink, json: false, noColor: true, term: '' });
    showHints(output, [hint(null), hint(ROW)], Date.parse('2026-03-01T00:00:00Z'));
    expect(shown.trimEnd().split('\n')).toEqual([
      'SEQ  WHEN        WHAT                       RULE          PASS  HINT',
      '  7  2026-01-02  a-server-wit…_with_a_name  a-rule-with…  no    do it in anothe…',
      '  7  2026-01-02  a-server-wit…_with_a_name  a-rule-with…  yes   do it in anothe…',
    ]);
  });
});
