import type { ActionTable, Detector } from '@subluminal/gateway';
import { allowAdd } from './allowlist/allow-add.js';
import { allowDeactivate } from './allowlist/allow-deactivate.js';
import { allowList } from './allowlist/allow-list.js';
import { allowRemove } from './allowlist/allow-remove.js';
import type { Allowlist } from './allowlist/allowlist.js';
import { type ConnectParts, netConnect } from './connection/connect.js';
import { netEnd, type NetEndParts } from './connection/end.js';
import { type NameParts, netName } from './name.js';
import { httpReach, type ReachParts } from './connection/reach.js';

/** The actions of this wing. */
export type NetActions = Pick<
  ActionTable,
  | 'http.reach'
  | 'net.connect'
  | 'net.end'
  | 'net.name'
  | 'allow.add'
  | 'allow.remove'
  | 'allow.deactivate'
  | 'allow.list'
>;

/** The parts of every action of this wing. */
export type NetParts = ConnectParts &
  ReachParts &
  NetEndParts &
  NameParts & { readonly allowlist: Allowlist; readonly detector: Pick<Detector, 'forget'> };

export function netActions(parts: NetParts): NetActions {
  const { allowlist, detector } = parts;
  return {
    'http.reach': httpReach(parts),
    'net.connect': netConnect(parts),
    'net.end': netEnd(parts),
    'net.name': netName(parts),
    'allow.add': allowAdd(allowlist, detector),
    'allow.remove': allowRemove(allowlist),
    'allow.deactivate': allowDeactivate(allowlist),
    'allow.list': allowList(allowlist),
  };
}
