import type { JSX } from 'preact';
import { API, type PolicyPart, type PolicyVersion, type PolicyView } from '../../../src/protocol/index.js';
import { useKeys } from '../../keys/use-keys.js';
import { CopyButton } from '../../parts/command.js';
import { plainText } from '../../parts/plain-text.js';
import { NotYet } from '../../parts/not-yet.js';
import type { Page } from '../../state/page.js';
import { useAnswer } from '../../state/use-answer.js';
import { OnDisk } from './on-disk.js';
import { Part } from './part.js';

/** The policies in force: that of the home, and those of projects; how often each rule decided. */
export function PolicyPage({ page }: { readonly page: Page }): JSX.Element {
  const inForce = page.state.value?.policy;
  const answer = useAnswer(() => page.api.get<PolicyView>(API.policy), [inForce?.hash, inForce?.problem]);
  useKeys(page.keys, [{ keys: ['Escape'], says: 'back', run: () => page.places.back() }], []);
  const { value } = answer;
  if (value === null)
    return (
      <div class="page">
        <h1>Policy</h1>
        <NotYet answer={answer} />
      </div>
    );
  const { parts, policy } = value;
  // A rule of a record: `ID@` and the beginning of the hash of its policy.
  const [, marked = '', hash = ''] = /^(.*?)(?:@([0-9a-f]{8}))?$/s.exec(page.places.now.value.filter) ?? [];
  const isOf = ({ now, rules }: PolicyView['parts'][number]): boolean =>
    marked !== '' && (now?.hash ?? '').startsWith(hash) && rules.some(({ id }) => id === marked);
  return (
    <div class="page">
      <h1>Policy</h1>
      {marked === '' || parts.some(isOf) ? null : (
        <p role="status">
          Rule <span class="data">{plainText(marked, 120)}</span> is of a policy that is not in force now
          {hash === '' ? '' : ` (${hash})`}.
        </p>
      )}
      <p class="quiet">
        Decisions are counted since {page.clock.value.full(value.since)}
        {value.partial ? ', older ones were not' : ''}; rules stand in the order in which they are asked.
      </p>
      {value.problem === null ? null : <OnDisk page={page} policy={policy} problem={value.problem} />}
      {parts.map((part) => (
        <Part
          key={`${part.of} ${part.from} ${part.id}`}
          page={page}
          part={part}
          others={parts.flatMap((one) => (one === part ? [] : newestOf(one)))}
          marked={isOf(part) ? marked : ''}
        />
      ))}
      <p class="actions">
        <CopyButton text={page.command('sub policy show')} copy={page.copy} />
      </p>
    </div>
  );
}

/** The version that is in force, else the last one that was; none that no run has loaded. */
function newestOf({ now, versions }: PolicyPart): readonly PolicyVersion[] {
  const newest = versions.find(({ hash }) => hash === now?.hash) ?? versions[0];
  return newest === undefined ? [] : [newest];
}
