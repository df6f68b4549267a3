import { signal, type ReadonlySignal } from '@preact/signals';

/** A key of the page. */
export interface Binding {
  /** The keys that do it, as `KeyboardEvent.key` names them; `g l` is one after the other. */
  readonly keys: readonly string[];
  /** Its effect, in two or three words. */
  readonly says: string;
  readonly run: () => void;
  /** Stands in the line at the bottom, too. */
  readonly isCommon?: true;
}

/** The keys in force, and the ways to change them. */
export interface Keys {
  /** Those of this page, the newest view's first. */
  readonly bindings: ReadonlySignal<readonly Binding[]>;
  /** Whether keys of one letter do anything (WCAG 2.1.4). */
  readonly letters: ReadonlySignal<boolean>;
  setLetters(on: boolean): void;
  /** Adds keys until the function that it returns is called. A view's come before the page's. */
  add(bindings: readonly Binding[], of: 'view' | 'page'): () => void;
  /** For `keydown` of the document. */
  pressed(event: KeyboardEvent): void;
}

const STORED = 'subl.letters';
const SEQUENCE_MS = 1500;

/** Makes the table of keys. `now` is in milliseconds. */
export function keysOf(storage: Storage, now: () => number): Keys {
  const bindings = signal<readonly Binding[]>([]);
  const letters = signal(storage.getItem(STORED) !== 'off');
  let begun = { key: '', at: 0 };
  return {
    bindings,
    letters,
    setLetters(on) {
      letters.value = on;
      storage.setItem(STORED, on ? 'on' : 'off');
    },
    add(added, of) {
      bindings.value = of === 'view' ? [...added, ...bindings.value] : [...bindings.value, ...added];
      return () => {
        bindings.value = bindings.value.filter((one) => !added.includes(one));
      };
    },
    pressed(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isItsOwn(event)) return;
      const { key } = event;
      if (!letters.value && key.length === 1 && key !== ' ' && key !== '?') return;
      const both = now() - begun.at < SEQUENCE_MS ? `${begun.key} ${key}` : '';
      const found =
        bindings.value.find(({ keys }) => keys.includes(both)) ??
        bindings.value.find(({ keys }) => keys.includes(key));
      begun = { key: both !== '' && found?.keys.includes(both) === true ? '' : key, at: now() };
      if (found === undefined) return;
      event.preventDefault();
      found.run();
    },
  };
}

/** Whether the element in focus has its own use for the key. */
function isItsOwn({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('input, textarea, select, [contenteditable]') !== null) return key !== 'Escape';
  const pressable = target.closest('button, a, summary, [role=tab]');
  return pressable !== null && (key === 'Enter' || key === ' ');
}
