/**
 * Where the proxy listens on 127.0.0.1, for whoever has to be told; null where there is none. The proxy sets
 * it when its listener is open, and takes it back when that closes.
 */
export class ProxyPlace {
  port: number | null = null;
}

/**
 * The proxy as a run, and the shim of a server, is told of it. `mode` says what becomes of a name that is not
 * listed.
 */
export type ProxyTold = {
  readonly port: number;
  readonly mode: 'observe' | 'enforce';
};

/** What is told; null where nothing listens. */
export function proxyTold({ port }: ProxyPlace, mode: 'observe' | 'enforce' | 'off'): ProxyTold | null {
  return port === null || mode === 'off' ? null : { port, mode };
}
