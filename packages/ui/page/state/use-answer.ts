import { useEffect, useState } from 'preact/hooks';
import { asRefused, type Refused } from '../wire/api.js';

/** The answer to a question to the gateway, so far. It stays while it is asked again. */
export interface Answer<Value> {
  readonly value: Value | null;
  readonly problem: Refused | null;
  readonly isAsking: boolean;
  /** Asks once more. */
  readonly again: () => void;
}

/** Asks again whenever one of `when` changes; only the newest answer counts. */
export function useAnswer<Value>(ask: () => Promise<Value>, when: readonly unknown[]): Answer<Value> {
  const [answer, setAnswer] = useState<Omit<Answer<Value>, 'again'>>({
    value: null,
    problem: null,
    isAsking: true,
  });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let isNewest = true;
    setAnswer((before) => ({ ...before, isAsking: true }));
    ask().then(
      (value) => isNewest && setAnswer({ value, problem: null, isAsking: false }),
      (error: unknown) => {
        const problem = asRefused(error);
        if (isNewest) setAnswer((before) => ({ ...before, problem, isAsking: false }));
      },
    );
    return () => {
      isNewest = false;
    };
  }, [...when, asked]);
  return { ...answer, again: () => setAsked((one) => one + 1) };
}
