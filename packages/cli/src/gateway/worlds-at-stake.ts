import { numberAt } from '@subluminal/core-types';
import { agrees } from '../output/ask.js';
import { counted } from '../output/counted.js';
import { attempted } from '../program/attempt.js';
import type { Call } from '../program/call.js';
import { askOperator } from './door.js';

/**
 * Asks before a restart that ends worlds: their network is the gateway's, and the next one does not take it
 * over. True if there are none, or for a yes. Throws `usage` for `--json` without `--yes` if there are some.
 */
export async function mayEndWorlds(call: Call<{ readonly yes: boolean }>): Promise<boolean> {
  const { home, session } = call;
  // One that does not answer, or answers no such question yet, is replaced as it is.
  const status = await attempted(askOperator(home, session.now, 'gateway.status'));
  const of = (network: string): number => numberAt(status ?? null, 'worlds', network) ?? 0;
  const open = of('full') + of('named');
  if (open === 0) return true;
  const question = `${counted(open, 'world')} and all that runs there will end (\`sub world status\`): restart the gateway?`;
  return agrees(call, question);
}
