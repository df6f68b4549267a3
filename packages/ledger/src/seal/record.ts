import { sign, verify, type KeyObject } from 'node:crypto';
import { rawPublicKey } from '@subluminal/core-types';

/** What a seal says. It covers every entry before its own. */
export interface Seal {
  /** 1, 2, 3, … without a gap. */
  readonly n: number;
  readonly size: number;
  /** Merkle root over the first `size` leaves, base64. */
  readonly root: string;
  /**
   * Public key of the next seal, base64 of 32 bytes: whoever breaks in later cannot seal this range again.
   */
  readonly nextKey: string;
}

/** A seal with its signature, base64. */
export interface SignedSeal extends Seal {
  readonly sig: string;
}

const DATA =
  /^\{"n":([1-9][0-9]{0,15}),"next_key":"([A-Za-z0-9+/]{43}=)","root":"([A-Za-z0-9+/]{43}=)","sig":"([A-Za-z0-9+/]{86}==)","size":(0|[1-9][0-9]{0,15})\}$/;

/** The text that is signed. */
export function sealText(ledgerId: string, { n, size, root, nextKey }: Seal): string {
  return `subl/seal/v1\n${ledgerId}\n${n}\n${size}\n${root}\n${nextKey}\n`;
}

/** Signs a seal and renders it as an entry's data: canonical JSON. */
export function signSeal(ledgerId: string, seal: Seal, privateKey: KeyObject): string {
  const signature = sign(null, Buffer.from(sealText(ledgerId, seal)), privateKey);
  return renderSeal({ ...seal, sig: signature.toString('base64') });
}

/** Reads an entry's data; undefined unless it is, byte for byte, what `signSeal` renders. */
export function readSeal(data: string): SignedSeal | undefined {
  const [, n, nextKey = '', root = '', sig = '', size] = DATA.exec(data) ?? [];
  if (n === undefined) return undefined;
  const seal = { n: Number(n), size: Number(size), root, nextKey, sig };
  const whole = [nextKey, root, sig].every((text) => Buffer.from(text, 'base64').toString('base64') === text);
  return whole && renderSeal(seal) === data ? seal : undefined;
}

/** Whether the seal was signed by that key. */
export function isSealedBy(ledgerId: string, seal: SignedSeal, key: KeyObject): boolean {
  return verify(null, Buffer.from(sealText(ledgerId, seal)), key, Buffer.from(seal.sig, 'base64'));
}

/** A key as seals and genesis records name it. */
export function keyText(key: KeyObject): string {
  return rawPublicKey(key).toString('base64');
}

function renderSeal({ n, size, root, nextKey, sig }: SignedSeal): string {
  return `{"n":${n},"next_key":"${nextKey}","root":"${root}","sig":"${sig}","size":${size}}`;
}
