import { readProxyToken } from '@subluminal/core-types';
import type { ProxyTold } from './told.js';

/** Where programs look for a proxy: those that know one of them, in either spelling. */
const PROXIES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'] as const;

/** The variables that name a proxy. */
export const PROXY_NAMES: ReadonlySet<string> = new Set(PROXIES);

/** The hosts that are reached without a proxy while nothing is enforced. */
const LOCAL: readonly string[] = ['localhost', '127.0.0.1', '::1'];

/** The values that the variables are made of. */
export interface ProxySources {
  /** Undefined where the gateway has no proxy. */
  readonly told: ProxyTold | undefined;
  /** Whose connections these are: `run`, or the name of a server. */
  readonly label: string;
  /** Of the run: `proxyRunToken`. */
  readonly token: string;
  /** The environment that they are added to. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
  /** Without the proxy the program is of no use: it replaces another one, and nothing goes around it. */
  readonly isNeeded?: boolean;
}

/** The variables to add, and what is to be said where there are none although there is a proxy. */
export interface ProxyVariables {
  readonly env: Readonly<Record<string, string>>;
  readonly note: string | undefined;
}

const NOTHING: ProxyVariables = { env: {}, note: undefined };

/**
 * The variables by which what is started finds the gateway's proxy. While nothing is enforced a proxy that
 * the environment has already is left alone, since it may be the only way out; one that is ours, of the run
 * around, is replaced by that with our label.
 */
export function proxyVariables({ told, label, token, env, isNeeded = false }: ProxySources): ProxyVariables {
  if (told === undefined) return NOTHING;
  const foreign = PROXIES.find((name) => isForeign(env[name]));
  const replaces = told.mode === 'enforce' || isNeeded;
  if (foreign !== undefined && !replaces) {
    return {
      env: {},
      note: `\`${foreign}\` names another proxy, which is left as it is: connections through it are not recorded`,
    };
  }
  const url = `http://${encodeURIComponent(label)}:${token}@127.0.0.1:${told.port}`;
  const around = told.mode === 'enforce' ? '' : directOf(isNeeded ? {} : env);
  return {
    env: {
      ...Object.fromEntries(PROXIES.map((name) => [name, url])),
      NODE_USE_ENV_PROXY: '1',
      NO_PROXY: around,
      no_proxy: around,
    },
    note: undefined,
  };
}

function isForeign(url: string | undefined): boolean {
  if (url === undefined || url === '') return false;
  return !URL.canParse(url) || readProxyToken(new URL(url).password) === undefined;
}

function directOf(env: Readonly<NodeJS.ProcessEnv>): string {
  const had = [env['NO_PROXY'], env['no_proxy']].flatMap((list) => (list ?? '').split(','));
  const names = [...LOCAL, ...had.map((name) => name.trim())];
  return [...new Set(names.filter((name) => name !== ''))].join(',');
}
