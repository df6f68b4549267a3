import type { Clock, Logger, Settings } from '@subluminal/gateway';
import {
  DESKTOP_PLACES,
  DesktopNotices,
  type DesktopPlaces,
  findDesktop,
  Notifier,
  startProgram,
} from '@subluminal/notify';

/** Tells the operator of what waits for them. */
export type Notices = Pick<Notifier, 'stop' | 'tell'>;

/** On the desktop, or by a program of the operator, as `[approvals] notify` says. */
export function composeNotices(from: {
  readonly settings: Pick<Settings, 'now'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly desktop: DesktopPlaces | undefined;
}): Notices {
  const { clock, log, settings, desktop: places = DESKTOP_PLACES } = from;
  const parts = { start: startProgram, clock, log };
  const program = new Notifier({
    ...parts,
    argv: () => {
      const { notify } = settings.now.approvals;
      return typeof notify === 'boolean' ? undefined : notify;
    },
  });
  const desktop = new DesktopNotices({
    ...parts,
    // Looked for each time: a session of the user begins and ends while the gateway runs.
    desktop: () => (settings.now.approvals.notify === true ? findDesktop(places) : undefined),
  });
  return {
    tell(notice) {
      program.tell(notice);
      desktop.tell(notice);
    },
    stop() {
      program.stop();
      desktop.stop();
    },
  };
}
