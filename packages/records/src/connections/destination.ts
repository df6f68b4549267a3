import { textAt } from '@subluminal/core-types';
import type { LedgerRow } from '@subluminal/ledger';

/** The action by which a program in a world asks for a name. Only those that are refused leave an entry. */
export const NAME = 'net.name';

/** Where an action leads, as it was decided on: a refused name is its own destination. Empty for none. */
export function destinationOf({ tool, data }: Pick<LedgerRow, 'tool' | 'data'>): string {
  return tool === NAME ? textAt(data, 'facts', 'host') : textAt(data, 'destination');
}
