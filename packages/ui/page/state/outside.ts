import { signal, type ReadonlySignal } from '@preact/signals';
import { plural } from '../parts/figures.js';

/** A person in another window is told by a notification of the system that something waits for an answer. */
export interface Outside {
  /** Whether it is wanted, and the browser lets it. */
  readonly isOn: ReadonlySignal<boolean>;
  /** `refused`: the browser was told no before, and asks nobody again. */
  readonly can: ReadonlySignal<'yes' | 'refused' | 'no'>;
  turn(on: boolean): Promise<void>;
  /** As many wait now. More than before are told, unless this page is looked at. */
  waits(count: number): void;
}

const KEPT = 'subl.notify';
/** One notification at a time: a later one takes the place of the one before. */
const TAG = 'subl-waits';

/** The window, as far as it is needed. A browser of a phone may know no notifications. */
export interface Around {
  readonly Notification?: typeof Notification;
  readonly localStorage: Pick<Storage, 'getItem' | 'setItem'>;
  readonly document: Pick<Document, 'hasFocus'>;
  focus(): void;
}

/** `look` brings the inbox, when a notification is pressed. It names no call: others may see the screen. */
export function outsideOf(window: Around, look: () => void): Outside {
  const { Notification } = window;
  const permission = (): NotificationPermission => Notification?.permission ?? 'denied';
  const canNow = (): 'yes' | 'refused' | 'no' =>
    Notification === undefined ? 'no' : permission() === 'denied' ? 'refused' : 'yes';
  const isWanted = window.localStorage.getItem(KEPT) === 'on';
  const isOn = signal(isWanted && permission() === 'granted');
  const can = signal(canNow());
  let before: number | null = null;
  return {
    isOn,
    can,
    async turn(on) {
      if (on && permission() === 'default') await Notification?.requestPermission();
      isOn.value = on && permission() === 'granted';
      can.value = canNow();
      window.localStorage.setItem(KEPT, isOn.value ? 'on' : 'off');
    },
    waits(count) {
      const isMore = before !== null && count > before;
      before = count;
      if (!isMore || !isOn.value || Notification === undefined || window.document.hasFocus()) return;
      const body = `${plural(count, 'question')} of agents ${count === 1 ? 'waits' : 'wait'} for you`;
      let told: Notification;
      try {
        told = new Notification('Subluminal', { body, tag: TAG });
      } catch {
        // Chrome on Android has the word, and lets no page use it.
        [isOn.value, can.value] = [false, 'no'];
        return;
      }
      told.addEventListener('click', () => {
        window.focus();
        look();
        told.close();
      });
    },
  };
}
