import type { AppendGroup, AppendResult, Ledger } from '@subluminal/ledger';

/**
 * Stands between the gateway and its real ledger. `around` sees every group and decides when `next` writes
 * it, or another in its place.
 */
export function between(
  around: (group: AppendGroup, next: (other?: AppendGroup) => Promise<AppendResult>) => Promise<AppendResult>,
): (ledger: Ledger) => Ledger {
  return (ledger) =>
    new Proxy(ledger, {
      get(target, key) {
        if (key === 'append')
          return (group: AppendGroup) => around(group, (other = group) => target.append(other));
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
}

/** A point where things wait until it is opened. */
export class Gate {
  readonly reached: Promise<void>;
  readonly #opened: Promise<void>;
  #reach: () => void = () => undefined;
  #open: () => void = () => undefined;

  constructor() {
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  /** Waits here. */
  pass(): Promise<void> {
    this.#reach();
    return this.#opened;
  }

  open(): void {
    this.#open();
  }
}
