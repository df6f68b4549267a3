/** Signals that are handed on to a command. A terminal already sends the last two to it as well. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT'];
export const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/**
 * Hands signals that reach this process on to a command, until the function that is given back is called.
 * `seen` is told of each that asks the command to end.
 */
export function forwardSignals(
  send: (signal: NodeJS.Signals) => void,
  onTerminal: boolean,
  seen: (signal: NodeJS.Signals) => void = () => undefined,
): () => void {
  const handlers = FORWARDED.map((signal) => {
    const handler = (): void => {
      if (signal !== 'SIGUSR1' && signal !== 'SIGUSR2') seen(signal);
      if (!(onTerminal && FROM_TERMINAL.includes(signal))) send(signal);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  return () => {
    for (const { signal, handler } of handlers) process.off(signal, handler);
  };
}
