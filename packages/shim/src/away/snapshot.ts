import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  MAX_SNAPSHOT_MS,
  parseJson,
  sha256Hex,
  type SnapshotHead,
  SublError,
  verifyHead,
} from '@subluminal/core-types';
import {
  type PolicyIdentity,
  type PolicySnapshot,
  PolicyState,
  snapshotFromPlain,
  type Waiver,
} from '@subluminal/policy';

/** For whom a snapshot has to be. */
export interface SnapshotHolder {
  readonly runId: string;
  readonly shimId: string;
  readonly serverName: string;
}

/** A snapshot that was verified, ready to decide with. */
export interface Snapshot {
  readonly head: SnapshotHead;
  readonly signature: string;
  /** Whose signature it is: no other is believed afterwards. */
  readonly publicKey: string;
  /** The half of the spool's key that only this session heard. */
  readonly secret: string;
  readonly policy: PolicySnapshot;
  readonly state: PolicyState;
  readonly identity: PolicyIdentity;
  readonly waivers: readonly Waiver[];
  /** The tools that may be called; undefined where none is held back. */
  readonly only: readonly string[] | undefined;
  readonly raised: ReadonlyMap<string, readonly string[]>;
  /** How many shims of the run share what is left of its limits. */
  readonly shares: number;
  /** The longest preview that the gateway keeps of arguments and results. */
  readonly previewBytes: number;
  /** How long it holds from its arrival on, in milliseconds. */
  readonly lifeMs: number;
}

/**
 * Reads a pushed snapshot. `publicKey` is the key that this process has believed before; undefined for the
 * first.
 *
 * @throws SublError `bad_signature` or `policy_invalid` for one that is not signed, or not for this holder,
 *   or not whole.
 */
export function readSnapshot(
  event: JsonObject,
  holder: SnapshotHolder,
  publicKey: string | undefined,
): Snapshot {
  const { signature, body, key, secret } = event;
  const head = headOf(event['head']);
  if (head === undefined || typeof signature !== 'string' || typeof body !== 'string')
    throw unsigned('its form');
  if (typeof key !== 'string' || typeof secret !== 'string') throw unsigned('its form');
  if (publicKey !== undefined && publicKey !== key) throw unsigned('its key');
  if (!verifyHead(key, head, signature)) throw unsigned('its signature');
  if (sha256Hex(body) !== head.body_hash) throw unsigned('its content');
  if (head.run_id !== holder.runId || head.shim_id !== holder.shimId) throw unsigned('its holder');
  if (head.server_name !== holder.serverName) throw unsigned('its holder');
  const lifeMs = Math.min(head.expires_ms - head.issued_ms, MAX_SNAPSHOT_MS);
  const content = parseJson(body);
  if (!isJsonObject(content)) throw unsigned('its content');
  const policy = snapshotFromPlain(content['policy']);
  if (policy.policy_hash !== head.policy.policy_hash) throw unsigned('its policy');
  if (!policy.defaults.fail_open_read_tools) throw unsigned('its policy');
  return {
    head,
    signature,
    publicKey: key,
    secret,
    policy,
    state: PolicyState.fromJSON(content['state']),
    identity: identityOf(content['identity']),
    waivers: listOf(content['waivers']).map(waiverOf),
    only: content['only'] === null ? undefined : textsOf(content['only']),
    raised: raisedOf(content['raised']),
    shares: sharesOf(content['shares']),
    previewBytes: bytesOf(content['previews']),
    lifeMs,
  };
}

function headOf(value: JsonValue | undefined): SnapshotHead | undefined {
  if (!isJsonObject(value)) return undefined;
  const { v, id, run_id, shim_id, server_name, issued_ms, expires_ms, policy, body_hash } = value;
  if (v !== 1 || typeof id !== 'string' || typeof run_id !== 'string' || typeof shim_id !== 'string')
    return undefined;
  if (typeof server_name !== 'string' || typeof body_hash !== 'string') return undefined;
  if (typeof issued_ms !== 'number' || typeof expires_ms !== 'number') return undefined;
  if (!isJsonObject(policy)) return undefined;
  const { policy_id, policy_version, policy_hash } = policy;
  if (typeof policy_id !== 'string' || typeof policy_version !== 'string' || typeof policy_hash !== 'string')
    return undefined;
  const ref = { policy_id, policy_version, policy_hash };
  return { v, id, run_id, shim_id, server_name, issued_ms, expires_ms, policy: ref, body_hash };
}

/**
 * The signature makes it the gateway's word: that it is an identity was checked when the run was opened.
 */
function identityOf(value: JsonValue | undefined): PolicyIdentity {
  if (!isJsonObject(value)) throw unsigned('its identity');
  if (typeof value['agent_id'] !== 'string') throw unsigned('its identity');
  return value as unknown as PolicyIdentity;
}

function waiverOf(value: JsonValue): Waiver {
  if (!isJsonObject(value)) throw unsigned('its waivers');
  const { rule_id, server_name, tool_name, args_hash = null } = value;
  if (typeof rule_id !== 'string' || typeof server_name !== 'string' || typeof tool_name !== 'string')
    throw unsigned('its waivers');
  if (args_hash !== null && typeof args_hash !== 'string') throw unsigned('its waivers');
  return { rule_id, server_name, tool_name, args_hash };
}

function raisedOf(value: JsonValue | undefined): ReadonlyMap<string, readonly string[]> {
  if (!isJsonObject(value)) throw unsigned('its tools');
  return new Map(Object.entries(value).map(([tool, classes]) => [tool, textsOf(classes)]));
}

function sharesOf(value: JsonValue | undefined): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) throw unsigned('its shares');
  return value;
}

function bytesOf(value: JsonValue | undefined): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw unsigned('its previews');
  return value;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return listOf(value).map((one) => {
    if (typeof one !== 'string') throw unsigned('its tools');
    return one;
  });
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (!Array.isArray(value)) throw unsigned('its content');
  return value;
}

function unsigned(what: string): SublError {
  return new SublError('bad_signature', `the gateway sent a snapshot that cannot be believed by ${what}`);
}
