import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { Problem } from '../../parts/problem.js';
import { Unlock } from '../../parts/unlock.js';
import type { Page } from '../../state/page.js';
import { Refused } from '../../wire/api.js';

/** Lifts a rule that refused with a hint until the run ends: says what that covers, then asks. */
export function Promote({
  page,
  run,
  call,
  shown,
  tool,
  rule,
}: {
  readonly page: Page;
  readonly run: string;
  readonly call: string;
  readonly shown: string;
  readonly tool: string;
  readonly rule: string;
}): JSX.Element {
  const [anyArgs, setAnyArgs] = useState(false);
  const [problem, setProblem] = useState<Refused | null>(null);
  const [done, setDone] = useState('');
  const promote = async (): Promise<void> => {
    setProblem(null);
    try {
      const { audit_ref } = await page.act({ act: 'promote', run, call, any_args: anyArgs, shown });
      setDone(audit_ref);
    } catch (error) {
      setProblem(error instanceof Refused ? error : new Refused('failed', String(error)));
    }
  };
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
      {problem?.code === 'locked' ? (
        <Unlock page={page} then={() => void promote()} />
      ) : (
        <p class="actions">
          <button type="button" class="main" onClick={() => void promote()}>
            Let it pass
          </button>
        </p>
      )}
      {problem === null || problem.code === 'locked' ? null : <Problem refused={problem} />}
    </section>
  );
}
