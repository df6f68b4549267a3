const ANSWERED: ReadonlyMap<string, string> = new Map([
  ['once', 'yes, once'],
  ['run', 'yes, run'],
  ['approved', 'yes, once'],
  ['denied', 'no'],
]);

/** The answer that the state of a question or an action stands for. */
export function answeredText(state: string): string {
  return ANSWERED.get(state) ?? state;
}
