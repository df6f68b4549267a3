import { useMemo, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { textAt, type JsonObject } from '@subluminal/core-types/portable';
import { API, type PolicyCompared, type PolicyFile } from '../../../src/protocol/index.js';
import { CopyButton } from '../../parts/command.js';
import { differenceOf } from '../../parts/compare.js';
import { plainLines, plainText } from '../../parts/plain-text.js';
import { Problem } from '../../parts/problem.js';
import { useAct } from '../../parts/use-act.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';
import { Changes } from './compare.js';

const LOAD = 'Put in force';

/** The policy file that is not in force: why, what it would change, and a yes to exactly that. */
export function OnDisk({
  page,
  policy,
  problem,
}: {
  readonly page: Page;
  /** As `sub policy show --json` prints it. */
  readonly policy: JsonObject;
  /** Why the file is not in force. */
  readonly problem: string;
}): JSX.Element {
  const [asked, ask] = useState(0);
  const read = useAnswer(
    async () => ({ asked, file: await page.api.get<PolicyFile>(API.file) }),
    [problem, asked],
  );
  const { isAsking } = read;
  const value = read.value?.file ?? null;
  const compared = value?.compared ?? null;
  const isWhole = useMemo(
    () => compared !== null && differenceOf(compared.old.text, compared.new.text, 'lines') !== null,
    [compared],
  );
  // An agent may write the file again while somebody reaches for the button: a yes is to what they looked at.
  const looked = useRef<{ readonly asked: number; readonly hash: string } | null>(null);
  if (compared !== null && read.value !== null && looked.current?.asked !== read.value.asked)
    looked.current = { asked: read.value.asked, hash: compared.new.hash };
  const isOther = compared !== null && looked.current?.hash !== compared.new.hash;
  // Any other file is loaded by the gateway itself, as soon as it can be.
  const isAsked = textAt(policy, 'accept') === 'operator';
  return (
    <section class="on-disk">
      <h2>policy.yaml is not in force</h2>
      <p class="said">{plainLines(problem)}</p>
      {read.problem === null ? null : (
        <Problem refused={read.problem} again={read.again} isAsking={isAsking} />
      )}
      {value === null || value.problem === null ? null : <p>{plainText(value.problem, 400)}</p>}
      {compared === null ? null : compared.old.hash === compared.new.hash ? (
        <p>The file says the policy that is in force.</p>
      ) : (
        <>
          <p>From the policy in force to the file:</p>
          <Changes compared={compared} />
        </>
      )}
      {isOther && !isAsking ? <p role="status">The file was written again: look again first.</p> : null}
      {isAsked ? null : (
        <p class="quiet">Nothing is to be done here: a file that may decide is loaded as it is saved.</p>
      )}
      <PutInForce
        page={page}
        shown={isAsked && !isAsking && !isOther ? compared : null}
        isOffered={isAsked && isWhole}
        again={() => ask((one) => one + 1)}
      />
    </section>
  );
}

function PutInForce({
  page,
  shown,
  isOffered,
  again,
}: {
  readonly page: Page;
  /** The difference that is shown; null while it is read. */
  readonly shown: PolicyCompared | null;
  readonly isOffered: boolean;
  readonly again: () => void;
}): JSX.Element {
  const { ask, isBusy, lock, problem } = useAct(page);
  const load = (): void => {
    if (shown !== null)
      ask(
        { act: 'reload', shown: shown.new.hash, over: shown.old.hash },
        LOAD,
        () => page.say('the policy is in force'),
        again,
      );
  };
  const isReading = page.state.value?.access === 'read';
  return (
    <>
      {lock ?? (
        <p class="actions">
          {isOffered && !isReading ? (
            <button type="button" class="main" disabled={shown === null || isBusy} onClick={load}>
              {isBusy ? 'At work' : LOAD}
            </button>
          ) : null}
          <button type="button" onClick={again}>
            Look again
          </button>
          {isOffered ? <CopyButton text={page.command('sub policy reload')} copy={page.copy} /> : null}
        </p>
      )}
      {problem}
    </>
  );
}
