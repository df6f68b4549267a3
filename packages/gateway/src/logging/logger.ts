import { pino } from 'pino';

/** Facts of a log line: names, numbers, codes. Never payloads, keys or tokens. */
export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** What the gateway writes its log with. */
export interface Logger {
  debug(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts): void;
  warn(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
}

/** JSON lines through pino to every target. Facts are flat on purpose: an object would invite payloads. */
export function createLogger(level: string, targets: readonly { write(line: string): void }[]): Logger {
  const out = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    {
      write(line: string): void {
        for (const target of targets) target.write(line);
      },
    },
  );
  return {
    debug: (message, facts = {}) => out.debug(facts, message),
    info: (message, facts = {}) => out.info(facts, message),
    warn: (message, facts = {}) => out.warn(facts, message),
    error: (message, facts = {}) => out.error(facts, message),
  };
}

/** The text of an error for the log: code and message of ours, name and message of others. No stack, no cause. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return `${code}: ${error.message}`;
}
