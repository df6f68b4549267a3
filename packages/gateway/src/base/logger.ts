import { redact } from '@subluminal/core-types';
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

/** A log whose level can be changed. */
export interface LeveledLogger extends Logger {
  setLevel(level: string): void;
}

/**
 * JSON lines through pino to every target. Facts are flat on purpose: an object would invite payloads. A
 * message of an error may quote what somebody wrote, so texts are redacted.
 */
export function createLogger(
  level: string,
  targets: readonly { write(line: string): void }[],
): LeveledLogger {
  const out = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    {
      write(line: string): void {
        for (const target of targets) target.write(line);
      },
    },
  );
  return {
    debug: (message, facts = {}) => out.isLevelEnabled('debug') && out.debug(shown(facts), message),
    info: (message, facts = {}) => out.info(shown(facts), message),
    warn: (message, facts = {}) => out.warn(shown(facts), message),
    error: (message, facts = {}) => out.error(shown(facts), message),
    setLevel: (next) => {
      out.level = next;
    },
  };
}

function shown(facts: LogFacts): LogFacts {
  const masked = Object.entries(facts).map(([name, fact]) => [
    name,
    typeof fact === 'string' ? redact(fact).text : fact,
  ]);
  return Object.fromEntries(masked) as LogFacts;
}

/**
 * The text of an error for the log: code and message of ours, name and message of others. No stack, no cause.
 */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return `${code}: ${error.message}`;
}
