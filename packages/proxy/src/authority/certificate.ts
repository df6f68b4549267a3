import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import type { RandomBytes } from '@subluminal/gateway';
import { bits, boolean, context, integer, octets, oid, sequence, setOf, text, time } from './der.js';

const OID = {
  ecdsaSha256: '1.2.840.10045.4.3.2',
  organization: '2.5.4.10',
  commonName: '2.5.4.3',
  subjectKey: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectNames: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  nameConstraints: '2.5.29.30',
  authorityKey: '2.5.29.35',
  extendedUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
} as const;

/** Clocks of this machine's programs may be a little behind. */
const BACKDATED_MS = 3_600_000;

/** A certificate and its key. */
export interface Issued {
  readonly pem: string;
  readonly key: KeyObject;
  readonly untilMs: number;
}

/** From when on, for how long, and what a serial number is made of. */
export interface Issuing {
  readonly now: number;
  readonly lifeMs: number;
  readonly random: RandomBytes;
}

/**
 * A certificate authority for one name (RFC 5280): it can vouch for servers of exactly that name (and of
 * names below it, which the standard does not tell apart), for no address, and for no other authority.
 * Self-signed, EC P-256.
 */
export function issueAuthority(host: string, issuing: Issuing): Issued {
  const pair = newKey();
  const name = nameOf(`subluminal for ${host}`);
  return issue(issuing, { issuer: name, subject: name, ...pair, signer: pair.key }, [
    extension(OID.basicConstraints, true, sequence(boolean(true), integer(Buffer.of(0)))),
    // keyCertSign
    extension(OID.keyUsage, true, bits(Buffer.of(0x04), 2)),
    extension(OID.extendedUsage, false, sequence(oid(OID.serverAuth))),
    extension(OID.nameConstraints, true, constraintsTo(host)),
    extension(OID.subjectKey, false, octets(keyId(pair.key))),
  ]);
}

/** A certificate for a server of that name, which its authority signs. */
export function issueLeaf(host: string, authority: Pick<Issued, 'key'>, issuing: Issuing): Issued {
  const pair = newKey();
  const names = { issuer: nameOf(`subluminal for ${host}`), subject: nameOf('subluminal') };
  return issue(issuing, { ...names, ...pair, signer: authority.key }, [
    extension(OID.basicConstraints, true, sequence()),
    // digitalSignature
    extension(OID.keyUsage, true, bits(Buffer.of(0x80), 7)),
    extension(OID.extendedUsage, false, sequence(oid(OID.serverAuth))),
    extension(OID.subjectNames, false, sequence(dnsName(host))),
    extension(OID.authorityKey, false, sequence(context(0, keyId(authority.key), false))),
    extension(OID.subjectKey, false, octets(keyId(pair.key))),
  ]);
}

/** A key in PEM, as it is sealed. */
export function keyText(key: KeyObject): string {
  return String(key.export({ type: 'pkcs8', format: 'pem' }));
}

/** A key that was sealed. */
export function keyOf(pem: string): KeyObject {
  return createPrivateKey(pem);
}

interface Subject {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly key: KeyObject;
  readonly signer: KeyObject;
}

function issue(
  { now, lifeMs, random }: Issuing,
  { issuer, subject, key, signer }: Subject,
  extensions: readonly Buffer[],
): Issued {
  const algorithm = sequence(oid(OID.ecdsaSha256));
  const untilMs = now + lifeMs;
  const serial = random(16);
  // Neither negative nor zero.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const signed = sequence(
    context(0, integer(Buffer.of(2))),
    integer(serial),
    algorithm,
    issuer,
    sequence(time(now - BACKDATED_MS), time(untilMs)),
    subject,
    publicBytes(key),
    context(3, sequence(...extensions)),
  );
  const whole = sequence(signed, algorithm, bits(sign('sha256', signed, signer)));
  return { pem: pemOf(whole), key, untilMs };
}

function newKey(): { readonly key: KeyObject } {
  return { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey };
}

function publicBytes(key: KeyObject): Buffer {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/** RFC 7093 §2, method 1: it only has to tell keys apart. */
function keyId(key: KeyObject): Buffer {
  return createHash('sha256').update(publicBytes(key)).digest().subarray(0, 20);
}

function nameOf(common: string): Buffer {
  const part = (type: string, value: string): Buffer => setOf(sequence(oid(type), text(value)));
  // RFC 5280, upper bounds: 64 characters.
  return sequence(part(OID.organization, 'subluminal'), part(OID.commonName, common.slice(0, 64)));
}

function dnsName(host: string): Buffer {
  return context(2, Buffer.from(host, 'latin1'), false);
}

/** Nothing but this name; no address, neither of IPv4 nor of IPv6. */
function constraintsTo(host: string): Buffer {
  const addresses = [8, 32].map((length) => sequence(context(7, Buffer.alloc(length), false)));
  return sequence(context(0, sequence(dnsName(host))), context(1, Buffer.concat(addresses)));
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octets(value));
}

function pemOf(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
