import { canonicalize, isSublError, parseJson, sha256Hex } from '@subluminal/core-types';
import type { PolicySnapshot } from '../snapshot/snapshot.js';

/** The statement that the signer of a policy file signs. docs/governance.md, "Signed policies". */
export interface PolicyStatement {
  readonly policy_id: string;
  readonly version: string;
  readonly policy_hash: string;
  /** SHA-256 of the file, byte for byte. */
  readonly file_sha256: string;
  /** A gateway takes none that is lower than the one it took last. */
  readonly serial: number;
  /** RFC 3339, in UTC and whole seconds. For people: only the serial decides. */
  readonly signed_at: string;
}

const FIRST_LINE = 'subl/policy/v1';
const FIELDS = ['policy_id', 'version', 'policy_hash', 'file_sha256', 'serial', 'signed_at'] as const;
const HASH = /^[0-9a-f]{64}$/;
const SERIAL = /^(?:0|[1-9][0-9]{0,15})$/;
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/;

/** The statement for a file that compiled to `snapshot`. */
export function statementOf(
  snapshot: PolicySnapshot,
  source: string,
  { serial, now }: { readonly serial: number; readonly now: number },
): PolicyStatement {
  const { policy_id, version, policy_hash } = snapshot;
  const signed_at = `${new Date(now).toISOString().slice(0, 19)}Z`;
  return { policy_id, version, policy_hash, file_sha256: sha256Hex(source), serial, signed_at };
}

/**
 * The text that is signed: a line that says what it is, then a line for each field; texts of the author as
 * JSON.
 */
export function renderStatement(statement: PolicyStatement): string {
  const lines = FIELDS.map((field) => {
    const value = statement[field];
    return `${field} ${field === 'policy_id' || field === 'version' ? canonicalize(value) : value}\n`;
  });
  return `${FIRST_LINE}\n${lines.join('')}`;
}

/** Reads what `renderStatement` writes; undefined for any other text. */
export function readStatement(text: string): PolicyStatement | undefined {
  const [first, ...lines] = text.split('\n');
  if (first !== FIRST_LINE || lines.length !== FIELDS.length + 1) return undefined;
  const [policy_id, version, policy_hash, file_sha256, serial, signed_at] = FIELDS.map((field, at) => {
    const line = lines[at] ?? '';
    return line.startsWith(`${field} `) ? line.slice(field.length + 1) : '';
  });
  const statement = {
    policy_id: jsonText(policy_id),
    version: jsonText(version),
    policy_hash: policy_hash ?? '',
    file_sha256: file_sha256 ?? '',
    serial: SERIAL.test(serial ?? '') ? Number(serial) : Number.NaN,
    signed_at: signed_at ?? '',
  };
  const fits =
    HASH.test(statement.policy_hash) &&
    HASH.test(statement.file_sha256) &&
    Number.isSafeInteger(statement.serial) &&
    TIME.test(statement.signed_at);
  // One spelling only: nobody can give one statement two texts.
  return fits && renderStatement(statement) === text ? statement : undefined;
}

function jsonText(text: string | undefined): string {
  try {
    const value = parseJson(text ?? '');
    return typeof value === 'string' ? value : '';
  } catch (error) {
    if (isSublError(error)) return '';
    throw error;
  }
}
