import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { listAt, textAt } from '@subluminal/core-types/portable';
import type { RecordDetail } from '../../../src/protocol/index.js';
import { asRead } from '../../parts/json-text.js';
import { plainLines, plainText } from '../../parts/plain-text.js';
import { useAct } from '../../parts/use-act.js';
import type { Page } from '../../state/page.js';

const PASS = 'Let it pass';

/** Lifts a rule that refused with a hint until the run ends: shows the call and what it covers, then asks. */
export function Promote({
  page,
  run,
  call,
  shown,
  tool,
  rule,
  detail,
}: {
  readonly page: Page;
  readonly run: string;
  readonly call: string;
  readonly shown: string;
  readonly tool: string;
  readonly rule: string;
  /** The call that was refused. */
  readonly detail: RecordDetail;
}): JSX.Element {
  const [anyArgs, setAnyArgs] = useState(false);
  const { ask, lock, problem } = useAct(page);
  const [done, setDone] = useState('');
  const promote = (): void =>
    ask({ act: 'promote', run, call, any_args: anyArgs, shown }, PASS, ({ audit_ref }) => setDone(audit_ref));
  if (page.state.value?.access === 'read')
    return <p class="quiet">This page reads only: the same by hand, `sub hints promote`.</p>;
  if (done !== '')
    return (
      <p role="status">
        It passes now, until the run ends: entry <span class="data">{done.split('.')[0]}</span>.
      </p>
    );
  return (
    <section class="cards">
      <Call detail={detail} />
      <p>
        Rule <span class="data">{rule}</span> is lifted for <span class="data">{tool}</span> in this run,{' '}
        {anyArgs ? 'whatever the arguments are' : 'with exactly these arguments'}, until the run ends. Other
        runs and other rules stay as they are. It cannot be taken back earlier.
      </p>
      <label>
        <input
          type="checkbox"
          checked={anyArgs}
          onChange={(event) => setAnyArgs(event.currentTarget.checked)}
        />{' '}
        Any arguments
      </label>
      {lock ?? (
        <p class="actions">
          <button type="button" class="main" onClick={promote}>
            {PASS}
          </button>
        </p>
      )}
      {problem}
    </section>
  );
}

/** Hex digits of a hash that tell two calls apart. */
const SHORT_HASH = 16;

/** The object of a call, its arguments as they are kept, and their hash. */
function Call({ detail: { entries, record, row } }: { readonly detail: RecordDetail }): JSX.Element {
  const hash = textAt(record, 'args_hash');
  const blobs = entries.flatMap((entry) => listAt(entry, 'blobs'));
  const args = blobs.find((blob) => textAt(blob, 'slot').endsWith('args_preview')) ?? null;
  const text = textAt(args, 'text');
  return (
    <>
      {row.object === null ? null : <p class="data">{plainText(row.object, 2000)}</p>}
      {text === '' ? (
        <p>The arguments are not kept: only their hash tells them.</p>
      ) : (
        <pre class="said" tabIndex={0}>
          {text.length > 64 * 1024 ? plainLines(text, text.length) : asRead(text)}
        </pre>
      )}
      {hash === '' ? null : (
        <p class="quiet">
          Arguments <span class="data">sha256 {plainText(hash, SHORT_HASH)}</span>
        </p>
      )}
    </>
  );
}
