import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Page } from '../../state/page.js';
import type { RecordSeen } from '../../verify/watch.js';

/** Whether the entries of a record are those that the signed head stands for, as this browser computed it. */
export function Checked({
  page,
  seqs,
}: {
  readonly page: Page;
  readonly seqs: readonly number[];
}): JSX.Element {
  const [seen, setSeen] = useState<RecordSeen | null>(null);
  useEffect(() => {
    let isOver = false;
    void page.watch.checkRecord(seqs).then((found) => {
      if (!isOver) setSeen(found);
    });
    return () => {
      isOver = true;
    };
  }, [seqs.join(), page.watch.head.value?.size]);
  if (seen === null) return <span class="quiet">checking</span>;
  if (typeof seen === 'object')
    return (
      <span class="mark" data-meaning="refused">
        <i aria-hidden="true">✕</i>does not fit
      </span>
    );
  const words = {
    proved: ['checked', 'Hashed here, and proved under the signed head'],
    hashed: ['hashed', 'Hashed here; it is newer than the signed head'],
    unchecked: ['not checked', 'The gateway did not give what the check needs'],
  } as const;
  const [word, says] = words[seen];
  return (
    <span class="quiet" title={says}>
      {word}
    </span>
  );
}
