import { GatewayConfig, isSublError } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { parseTable, readText } from '../config/settings.js';
import { askOperator } from '../gateway/door.js';
import { numberAt } from '../output/fields.js';
import { found, ok, type Check } from './check.js';

/** What becomes of connections to names that nobody has listed; undefined where `config.toml` cannot be read, of which another check tells. */
export async function checkEgress(home: HomePaths, now: () => number): Promise<Check | undefined> {
  const mode = modeOf(home);
  if (mode === undefined) return undefined;
  if (mode === 'off') return ok('egress', 'no proxy (`[egress] mode` is `off`)');
  const port = await portOf(home, now);
  const place = port === undefined ? '' : `; the proxy listens on 127.0.0.1:${port}`;
  if (mode === 'enforce') return ok('egress', `only listed destinations are connected${place}`);
  return found(
    'egress',
    'warn',
    `connections to names that are not on the allowlist pass, and are recorded${place}`,
    'run `sub allow seen`, list what should pass, then set `[egress] mode = "enforce"` in config.toml',
  );
}

function modeOf(home: HomePaths): GatewayConfig['egress']['mode'] | undefined {
  try {
    const text = readText(home.config);
    const read = GatewayConfig.safeParse(text === undefined ? {} : parseTable(home.config, text));
    return read.success ? read.data.egress.mode : undefined;
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}

async function portOf(home: HomePaths, now: () => number): Promise<number | undefined> {
  try {
    return numberAt(await askOperator(home, now, 'gateway.status'), 'proxy', 'port');
  } catch (error) {
    if (isSublError(error)) return undefined;
    throw error;
  }
}
