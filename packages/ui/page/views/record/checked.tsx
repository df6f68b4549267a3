import { useEffect, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Page } from '../../state/page.js';
import type { Shown } from '../../verify/chain.js';
import type { RecordSeen } from '../../verify/watch.js';

/**
 * Whether the entries of a record, as they are shown, are those that the signed head stands for, as this
 * browser computed it. Texts that lie beside an entry are no part of it.
 */
export function Checked({
  page,
  shown,
}: {
  readonly page: Page;
  readonly shown: readonly Shown[];
}): JSX.Element {
  const of = shown.map(({ seq }) => seq).join();
  const [found, setFound] = useState<{ readonly of: string; readonly seen: RecordSeen } | null>(null);
  useEffect(() => {
    let isOver = false;
    void page.watch.checkRecord(shown).then((seen) => {
      if (!isOver) setFound({ of, seen });
    });
    return () => {
      isOver = true;
    };
  }, [of, page.watch.head.value?.size]);
  // The word of the record before says nothing of this one.
  const seen = found?.of === of ? found.seen : null;
  if (seen === null) return <span class="quiet">checking</span>;
  if (typeof seen === 'object')
    return (
      <span class="mark" data-meaning="refused">
        <i aria-hidden="true">✕</i>does not fit
      </span>
    );
  const words = {
    proved: [
      'checked',
      'Its entries were hashed here, are what is shown, and are proved under the signed head; texts kept beside them are not part of it',
    ],
    hashed: [
      'hashed',
      'Its entries were hashed here, and are what is shown; they are newer than the signed head',
    ],
    unchecked: ['not checked', 'The gateway did not give what the check needs'],
  } as const;
  const [word, says] = words[seen];
  return (
    <span class="quiet" title={says}>
      {word}
    </span>
  );
}
