import type { Frame } from './names.js';
import type { EntryText } from './page-text.js';
import type { Finding } from './report.js';
import type { RunTip } from './run-tips.js';

/**
 * Says which member of a body disagrees with the columns, dict or the run's chain, once it is known that one
 * does.
 */
export function diagnose(seq: number, entry: EntryText, frame: Frame, tip: RunTip): Finding {
  const { body } = entry;
  const at = body.lastIndexOf(',"ref":');
  const tail = /^,"ref":(\S+?),"ri":(\S+?),"rp":"([0-9a-f]*)","run_id":/.exec(body.slice(at));
  const [, ref, ri, rp] = tail ?? [];
  if (!body.startsWith(frame.prefix)) return column(seq, 'code');
  if (ref === undefined) return { seq, class: 'column', detail: 'its body does not end as a body ends' };
  if (ref !== entry.ref) return column(seq, 'ref');
  if (!body.endsWith(frame.end)) return column(seq, 'kind');
  if (!body.endsWith(`,"ts":${entry.ts}${frame.end}`)) return column(seq, 'ts');
  if (!body.endsWith(`${frame.middle}${entry.ts}${frame.end}`)) {
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
