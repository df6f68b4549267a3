/** Signals that are handed on to a command. */
const FORWARDED: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2', 'SIGINT', 'SIGQUIT'];
/** A terminal sends these to the command itself. */
export const FROM_TERMINAL: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];

/**
 * Hands signals that reach this process on to a command, until the function that is given back is called.
 * `seen` is told of each that asks the command to end, and whether a terminal sent it to the command, too.
 */
export function forwardSignals(
  send: (signal: NodeJS.Signals) => void,
  onTerminal: boolean,
  seen: (signal: NodeJS.Signals, isTyped: boolean) => void = () => undefined,
): () => void {
  const handlers = FORWARDED.map((signal) => {
    const handler = (): void => {
      const isTyped = onTerminal && FROM_TERMINAL.includes(signal);
      if (signal !== 'SIGUSR1' && signal !== 'SIGUSR2') seen(signal, isTyped);
      if (!isTyped) send(signal);
    };
    process.on(signal, handler);
    return { signal, handler };
  });
  return () => {
    for (const { signal, handler } of handlers) process.off(signal, handler);
  };
}
