import { isSublError } from '@subluminal/core-types';

/** The ledger tries again after 50, 100, 200 ms and so on: this is time for a few failures. */
const DEADLINE_MS = 2_000;
const PAUSE_MS = 50;

/**
 * Records what a stop has to record. After a failure the ledger opens itself again, in steps: a stop that
 * comes in between waits for it, two seconds long. Throws the ledger's last error.
 */
export async function onceRecording(record: () => Promise<unknown>): Promise<void> {
  const until = performance.now() + DEADLINE_MS;
  for (;;) {
    try {
      await record();
      return;
    } catch (error) {
      if (!isSublError(error, 'audit_unavailable') || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
