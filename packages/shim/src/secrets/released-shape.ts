import { isJsonObject, type JsonValue, type SecretsReleased } from '@subluminal/core-types';

const SOURCES = ['env', 'file', 'keychain', 'store'] as const satisfies readonly SecretOf['source'][];

type SecretOf = SecretsReleased['secrets'][number];

/**
 * The command and environment with which a server may be started, undefined where a field is missing or
 * wrong: then it is not started. Checked by hand, because loading the schema library would double the start
 * and the memory of a shim.
 */
export function releasedOf(data: JsonValue | undefined): SecretsReleased | undefined {
  if (!isJsonObject(data)) return undefined;
  const { program, pass } = data;
  const secrets = Array.isArray(data['secrets']) ? data['secrets'].map(secretOf) : [undefined];
  if (!secrets.every((secret) => secret !== undefined)) return undefined;
  if (program !== undefined && typeof program !== 'string') return undefined;
  if (pass !== undefined && !isTexts(pass)) return undefined;
  const trust = trustOf(data['trust']);
  if (data['trust'] !== undefined && trust === undefined) return undefined;
  return {
    secrets: secrets.filter((secret) => secret !== undefined),
    ...(program === undefined ? {} : { program }),
    ...(pass === undefined ? {} : { pass }),
    ...(trust === undefined ? {} : { trust }),
  };
}

function secretOf(value: JsonValue): SecretOf | undefined {
  if (!isJsonObject(value)) return undefined;
  const { inject_as: name, secret_ref: ref, redact, value: held } = value;
  const source = SOURCES.find((one) => one === value['source']);
  if (typeof name !== 'string' || typeof ref !== 'string' || typeof redact !== 'boolean') return undefined;
  if (source === undefined || (held !== undefined && typeof held !== 'string')) return undefined;
  return { inject_as: name, secret_ref: ref, source, redact, ...(held === undefined ? {} : { value: held }) };
}

function trustOf(value: JsonValue | undefined): SecretsReleased['trust'] {
  if (!isJsonObject(value)) return undefined;
  const { bundle, own } = value;
  return typeof bundle === 'string' && typeof own === 'string' ? { bundle, own } : undefined;
}

function isTexts(value: JsonValue): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
