import { isJsonObject, type JsonValue } from '@subluminal/core-types';

/**
 * The gateway's account of its proxy: its port on 127.0.0.1, and what becomes of a name that is not listed.
 */
export interface ProxyTold {
  readonly port: number;
  readonly mode: 'observe' | 'enforce';
}

/** The member `proxy` of an answer; undefined where there is none, as from a gateway without one. */
export function readProxyTold(data: JsonValue | undefined): ProxyTold | undefined {
  const told = isJsonObject(data) ? data['proxy'] : undefined;
  if (!isJsonObject(told)) return undefined;
  const { port, mode } = told;
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
  return mode === 'observe' || mode === 'enforce' ? { port, mode } : undefined;
}
