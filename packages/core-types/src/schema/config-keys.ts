import type * as z from 'zod';
import { GatewayConfig } from './config.js';

/** Stands in a path for a name that people choose, as of a server. */
export const ANY_NAME = '*';

/** The path of each setting of `config.toml`, in the order of the contract. A list is one setting. */
export function configKeys(): readonly (readonly string[])[] {
  return keysOf(GatewayConfig, []);
}

function keysOf(schema: z.core.$ZodType, path: readonly string[]): readonly (readonly string[])[] {
  const { def } = schema as z.ZodType & { readonly def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'object':
      return Object.entries(def.shape).flatMap(([name, inner]) => keysOf(inner, [...path, name]));
    case 'default':
    case 'prefault':
    case 'optional':
      return keysOf(def.innerType, path);
    case 'pipe':
      return keysOf(def.out, path);
    case 'record':
      return keysOf(def.valueType, [...path, ANY_NAME]);
    default:
      return [path];
  }
}
