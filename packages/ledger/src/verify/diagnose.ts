import type { Frame, RunFrame } from './names.js';
import type { Finding } from './report.js';
import { textOf, type Row } from './row.js';
import type { RunTip } from './run-tips.js';

/**
 * Says which member of a body disagrees with the columns, dict or the run's chain, once it is known that one
 * does.
 */
export function diagnose(seq: number, row: Row, frame: Frame, run: RunFrame, tip: RunTip): Finding {
  const body = textOf(row, row.bodyAt, row.bodyEnd);
  const at = body.lastIndexOf(',"ref":');
  const tail = /^,"ref":(\S+?),"ri":(\S+?),"rp":"([0-9a-f]*)","run_id":/.exec(body.slice(at));
  const [, ref, ri, rp] = tail ?? [];
  if (!body.startsWith(frame.prefix.text())) return column(seq, 'code');
  if (ref === undefined) return { seq, class: 'column', detail: 'its body does not end as a body ends' };
  if (`,"ref":${ref},"ri":` !== textOf(row, row.refAt, row.refEnd)) return column(seq, 'ref');
  const end = frame.end.text();
  if (!body.endsWith(end)) return column(seq, 'kind');
  const ts = textOf(row, row.tsAt, row.tsEnd);
  if (!body.endsWith(`,"ts":${ts}${end}`)) return column(seq, 'ts');
  if (!body.endsWith(`${run.name.text()}${frame.tool.text()}${ts}${end}`)) {
    return { seq, class: 'dict', detail: 'the names of its run or tool are not those of its body' };
  }
  if (Number(ri) !== tip.ri || rp !== tip.rp) {
    return {
      seq,
      class: 'run_chain',
      detail: `it is not the next entry of its run (index ${ri}, expected ${tip.ri})`,
    };
  }
  return { seq, class: 'column', detail: 'its body is not in canonical form' };
}

function column(seq: number, name: string): Finding {
  return { seq, class: 'column', detail: `the column \`${name}\` does not say what the body says` };
}
