/**
 * What rules with a memory (budgets, rate limits, breakers, dedupe windows) keep between calls. No rule of this version
 * has one, so that the only state is the empty one.
 */
export type PolicyState = Readonly<Record<string, never>>;

/** The state before the first call of a run. */
export function initialState(): PolicyState {
  return Object.freeze({});
}
