import { numberAt } from '@subluminal/core-types';
import { readConfig } from '../config/file.js';
import { readText } from '../home/settings.js';
import { agrees } from '../output/ask.js';
import { counted } from '../output/counted.js';
import { attempted } from '../program/attempt.js';
import type { Call } from '../program/call.js';
import { askOperator } from './door.js';

/**
 * Asks before a restart that ends worlds: those that the next gateway cannot serve, which are all of them if
 * it carries no connections. True if there are none, or for a yes. Throws `usage` for `--json` without
 * `--yes` if there are some.
 */
export async function mayEndWorlds(call: Call<{ readonly yes: boolean }>): Promise<boolean> {
  const { home, session } = call;
  // One that does not answer, or answers no such question yet, is replaced as it is.
  const status = await attempted(askOperator(home, session.now, 'gateway.status'));
  const of = (kind: string): number => numberAt(status ?? null, 'worlds', kind) ?? 0;
  const isOff = readConfig(home.config, readText(home.config) ?? '').config.egress.mode === 'off';
  const lost = of('full') + of('named') - (isOff ? 0 : of('lasting'));
  if (lost <= 0) return true;
  const question = `${counted(lost, 'world')} and all that runs there will end (\`sub world status\`): restart the gateway?`;
  return agrees(call, question);
}
