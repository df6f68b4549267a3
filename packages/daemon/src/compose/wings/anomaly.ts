import type { Database } from 'better-sqlite3';
import { ANOMALY_SECTION, AnomalyDetector } from '@subluminal/anomaly';
import { type Clock, type Logger, type RunSubject, type Settings, errorText } from '@subluminal/gateway';

/** How often what runs did is kept for the next process: what a crash loses of it is no older. */
const KEEP_MS = 5000;

/** The detector, and what it is told of runs. A store that cannot be written costs flags, never a run. */
export interface Anomalies {
  readonly detector: AnomalyDetector;
  /** Begins to keep what changes. Returns the function that ends it. */
  start(): () => void;
  counts(run: RunSubject): Readonly<Record<string, number>> | undefined;
  ended(run: RunSubject): void;
}

export function composeAnomalies(from: {
  readonly db: Database;
  readonly settings: Pick<Settings, 'of'>;
  readonly clock: Clock;
  readonly log: Logger;
}): Anomalies {
  const { db, settings, clock, log } = from;
  const detector = new AnomalyDetector({
    db,
    reactions: () => settings.of(ANOMALY_SECTION),
    clock,
  });
  const orLog = <T>(what: () => T): T | undefined => {
    try {
      return what();
    } catch (error) {
      log.warn('what is unusual about runs could not be kept', { error: errorText(error) });
      return undefined;
    }
  };
  return {
    detector,
    start: () => {
      const timer = setInterval(() => orLog(() => detector.keep()), KEEP_MS);
      timer.unref();
      return () => {
        clearInterval(timer);
        orLog(() => detector.keep());
      };
    },
    counts: (run) => orLog(() => detector.counts(run)),
    ended: (run) => orLog(() => detector.ended(run)),
  };
}
