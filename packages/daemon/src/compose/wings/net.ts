import { configOf } from '../config.js';
import type { ActionParts } from '../parts.js';
import { HeaderRelease, type NetActions, OwnListeners, netActions } from '@subluminal/net';
import { ServerClaims } from '@subluminal/gateway';

/** The actions on the allowlist and on connections. */
export function composeNet(from: ActionParts): NetActions {
  const { settings, detector, traffic, recorder, late, clock, paths, allowlist, resolver, panic } = from;
  const { headers, placeholders, secrets } = from.injection;
  return netActions({
    allowlist,
    resolver,
    panic,
    listeners: ownListeners(from),
    claims: new ServerClaims(configOf(paths)),
    headers,
    release: new HeaderRelease({ headers, store: secrets }),
    placeholders,
    worlds: from.openWorlds,
    egress: () => settings.now.egress,
    detector,
    traffic,
    recorder,
    late,
    clock,
  });
}

/** The doors of the gateway itself, to which nobody is connected. */
export function ownListeners({
  httpPort,
  proxyPlace,
  uiPort,
}: Pick<ActionParts, 'httpPort' | 'proxyPlace' | 'uiPort'>): OwnListeners {
  return new OwnListeners([httpPort, () => proxyPlace.port, uiPort]);
}
