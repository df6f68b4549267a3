import { useEffect } from 'preact/hooks';
import type { Binding, Keys } from './keys.js';

/** Keys for as long as their view is there. `when` holds what they depend on. */
export function useKeys(
  keys: Keys,
  bindings: readonly Binding[],
  when: readonly unknown[],
  of: 'view' | 'page' = 'view',
): void {
  useEffect(() => keys.add(bindings, of), [keys, ...when]);
}
