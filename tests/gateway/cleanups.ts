const cleanups: (() => Promise<void> | void)[] = [];

/** Has `step` run after the test, last in first out. */
export function after(step: () => Promise<void> | void): void {
  cleanups.push(step);
}

/** Runs what `after` was given. `tests/setup.ts` has each test end with it. */
export async function cleanUp(): Promise<void> {
  for (const step of cleanups.splice(0).toReversed()) await step();
}

/** Keeps what `after` was given so far beyond the test; what it gives runs that, for an `afterAll`. */
export function holdBack(): () => Promise<void> {
  const held = cleanups.splice(0);
  return async () => {
    for (const step of held.toReversed()) await step();
  };
}
