import { useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Act, Acted } from '../../src/protocol/index.js';
import type { Page } from '../state/page.js';
import { asRefused, type Refused } from '../wire/api.js';
import { Problem } from './problem.js';
import { Unlock } from './unlock.js';

/** Changes that a view asks for, one after the other. */
export interface Acting {
  /**
   * Asks for one; a second press while it is under way asks for nothing. `says`: the words of its button;
   * `failed` hears of every refusal but the lock's.
   */
  readonly ask: <Data>(
    act: Act,
    says: string,
    done: (acted: Acted<Data>) => void,
    failed?: (code: string) => void,
  ) => void;
  readonly isBusy: boolean;
  /** It was refused, and why; null while there is nothing to say. */
  readonly problem: JSX.Element | null;
  /** It allows more: the field for the digits of a terminal, after which it is asked again. */
  readonly lock: JSX.Element | null;
  /** Nothing is to be said about the last one any more. */
  readonly forget: () => void;
}

/** The one way in which views ask for changes, and tell how it went. */
export function useAct(page: Page): Acting {
  const [refused, setRefused] = useState<Refused | null>(null);
  const [isBusy, setBusy] = useState(false);
  const again = useRef<() => void>(() => undefined);
  const asked = useRef('');
  const underWay = useRef(false);
  const isLocked = refused?.code === 'locked';
  return {
    ask(act, says, done, failed) {
      if (underWay.current) return;
      const work = async (): Promise<void> => {
        underWay.current = true;
        setRefused(null);
        setBusy(true);
        try {
          done(await page.act(act));
        } catch (error) {
          const why = asRefused(error);
          setRefused(why);
          if (why.code !== 'locked') failed?.(why.code);
        } finally {
          underWay.current = false;
          setBusy(false);
        }
      };
      asked.current = says;
      again.current = () => void work();
      again.current();
    },
    isBusy,
    problem: refused === null || isLocked ? null : <Problem refused={refused} />,
    lock: isLocked ? (
      <Unlock page={page} what={asked.current} then={() => again.current()} cancel={() => setRefused(null)} />
    ) : null,
    forget: () => setRefused(null),
  };
}
