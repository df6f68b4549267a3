import {
  canonicalize,
  type JsonValue,
  numberAt,
  parseJson,
  processAt,
  textAt,
  valueAt,
} from '@subluminal/core-types';
import type { KeptNetwork } from '../doors.js';
import type { WorldOwner } from '../world.js';

/** The facts that the next gateway has to know of a world to serve it. */
export interface KeptWorld {
  readonly owner: WorldOwner;
  readonly network: KeptNetwork;
  /** The how manieth gateway of the world wrote this, from 0 on. */
  readonly gateway: number;
  /** The bytes that its connections had carried. */
  readonly spentBytes: number;
  /** The port of its loopback at which hooks ask; undefined if they do not. */
  readonly hooksPort: number | undefined;
}

export function keptText({ owner, network, gateway, spentBytes, hooksPort }: KeptWorld): string {
  const { id, runId, serverName, shimId, starter, folder, hasDoor, sandboxOff } = owner;
  return canonicalize({
    v: 1,
    id,
    run_id: runId,
    ...(serverName === undefined ? {} : { server_name: serverName }),
    ...(shimId === undefined ? {} : { shim_id: shimId }),
    ...(starter === undefined ? {} : { starter: { pid: starter.pid, start: starter.start } }),
    folder,
    has_door: hasDoor,
    ...(sandboxOff === undefined ? {} : { sandbox_off: sandboxOff }),
    cookie: network.cookie,
    gateway,
    spent_bytes: spentBytes,
    ...(hooksPort === undefined ? {} : { hooks_port: hooksPort }),
  });
}

/** Undefined if it is no such text. Throws `invalid_json` if it is no JSON. */
export function keptWorldOf(text: string): KeptWorld | undefined {
  const said: JsonValue = parseJson(text, { maxDepth: 4 });
  const [id, runId, folder, cookie] = ['id', 'run_id', 'folder', 'cookie'].map((name) => textAt(said, name));
  const [gateway, spentBytes] = [numberAt(said, 'gateway'), numberAt(said, 'spent_bytes')];
  if (valueAt(said, 'v') !== 1 || !id || !runId || !folder || !cookie) return undefined;
  if (!isCount(gateway) || !isCount(spentBytes)) return undefined;
  const sandboxOff = textAt(said, 'sandbox_off');
  const starter = processAt(said, 'starter');
  // A world ends with its starter: one without is another world.
  if (valueAt(said, 'starter') !== null && starter === undefined) return undefined;
  return {
    owner: {
      id,
      runId,
      serverName: textAt(said, 'server_name') || undefined,
      shimId: textAt(said, 'shim_id') || undefined,
      starter,
      folder,
      hasDoor: valueAt(said, 'has_door') === true,
      sandboxOff: sandboxOff === 'claude' || sandboxOff === 'codex' ? sandboxOff : undefined,
    },
    network: { cookie },
    gateway,
    spentBytes,
    hooksPort: numberAt(said, 'hooks_port'),
  };
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}
