import { useEffect, useRef, useState } from 'preact/hooks';

/** A value that changes often, as it was at most so many milliseconds ago: it is taken over that seldom. */
export function useCalm<Value>(value: Value, ms: number, now: () => number): Value {
  const [calm, setCalm] = useState(value);
  const taken = useRef(now());
  useEffect(() => {
    if (value === calm) return undefined;
    const timer = setTimeout(
      () => {
        taken.current = now();
        setCalm(value);
      },
      taken.current + ms - now(),
    );
    return () => clearTimeout(timer);
  }, [value]);
  return calm;
}
