import { GatewayConfig, numberAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { readTable } from '../home/settings.js';
import type { Session } from '../program/session.js';
import { nodeAround } from '../run/confined.js';
import { found, ok, type Check } from './check.js';
import { tryProxy } from './try-proxy.js';
import { attempt } from '../program/attempt.js';

const DEFECT = 'run `sub up --restart`; if it stays so, stop what must not connect, and report it';

/**
 * Tells how the running gateway treats connections to places that nobody has listed, and tries that it
 * refuses one. Undefined where no gateway runs and `config.toml` cannot be read: another check tells of that.
 */
export async function checkEgress(
  home: HomePaths,
  status: JsonObject | undefined,
  session: Session,
): Promise<Check | undefined> {
  if (status === undefined) return withoutGateway(home);
  const mode = textAt(status, 'proxy', 'mode');
  if (mode === 'off') return ok('egress', 'no proxy (`[egress] mode` is `off`)');
  const port = numberAt(status, 'proxy', 'port');
  if (port === undefined)
    return found(
      'egress',
      'warn',
      'the proxy does not listen: runs connect without it',
      'run `sub up --restart`',
    );
  const place = `; the proxy listens on 127.0.0.1:${port}`;
  if (mode !== 'enforce')
    return found(
      'egress',
      'warn',
      `connections to places that are not on the allowlist pass, private ones too, and are recorded; metadata services and the gateway's own doors stay refused${place}`,
      'run `sub allow seen`, list what should pass, then run `sub egress enforce`',
    );
  const tried = await tryProxy(home, port, session);
  if ('untried' in tried)
    return found(
      'egress',
      'warn',
      `the gateway says that it enforces the allowlist; that was not tried: ${tried.untried}${place}`,
      'run `sub doctor` again outside of a run, while runs may begin',
    );
  if (!tried.refused)
    return found('egress', 'fail', `a name that is not listed was tried, and not refused${place}`, DEFECT);
  return ok(
    'egress',
    `only listed destinations are connected: a name that is not listed was tried, and refused${place}; ${aroundText()}`,
  );
}

/** Names the connections that the proxy cannot hold, even where it enforces. */
function aroundText(): string {
  const around = nodeAround(process.version);
  const node = around === undefined ? '' : `, such as ${around} of this Node ${process.version.slice(1)}`;
  return `what heeds no proxy is not confined${node}`;
}

function withoutGateway(home: HomePaths): Check | undefined {
  const mode = modeIn(home);
  if (mode === undefined) return undefined;
  return found(
    'egress',
    'warn',
    `no gateway is running, so nothing is held back; config.toml asks for \`${mode}\``,
    'run `sub up`, then `sub doctor` again',
  );
}

function modeIn(home: HomePaths): GatewayConfig['egress']['mode'] | undefined {
  const table = attempt(() => readTable(home.config) ?? {});
  return table && GatewayConfig.shape.egress.safeParse(table['egress']).data?.mode;
}
