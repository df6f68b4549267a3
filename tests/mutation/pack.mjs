import { createPublicKey, KeyObject } from 'node:crypto';

/** A value as JSON text that `unpacked` reads: byte strings and public keys keep what they are. */
export function packed(value) {
  return JSON.stringify(value, function replace(key, plain) {
    const given = key === '' ? value : this[key];
    if (given instanceof KeyObject) return { $key: given.export({ format: 'jwk' }) };
    if (given instanceof Uint8Array) return { $bytes: Buffer.from(given).toString('base64') };
    return given === undefined && key !== '' ? { $none: true } : plain;
  });
}

export function unpacked(text) {
  if (text === undefined) return undefined;
  return JSON.parse(text, (_, value) => {
    if (value?.$key !== undefined) return createPublicKey({ key: value.$key, format: 'jwk' });
    if (value?.$bytes !== undefined) return Buffer.from(value.$bytes, 'base64');
    return value?.$none === true ? undefined : value;
  });
}
