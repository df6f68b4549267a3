import { useEffect } from 'preact/hooks';
import type { Binding, Keys } from './keys.js';

/** Keys of a view, for as long as it is there. `when` holds what they depend on. */
export function useKeys(keys: Keys, bindings: readonly Binding[], when: readonly unknown[]): void {
  useEffect(() => keys.add(bindings), [keys, ...when]);
}
