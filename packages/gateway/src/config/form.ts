import { GatewayConfig, SublError } from '@subluminal/core-types';
import * as z from 'zod';
import type { ConfigSection } from './section.js';

/** How `config.toml` is read: the tables of the contract, and those that wings bring. */
export interface ConfigForm {
  readonly schema: z.ZodType<GatewayConfig>;
  readonly sections: readonly ConfigSection[];
}

/** `config.toml` of a home. */
export interface ConfigFile {
  readonly path: string;
  readonly form: ConfigForm;
}

/**
 * The form with these sections. A section of a table that the contract has brings the contract's own schema.
 *
 * @throws SublError `failed` where two would read one table.
 */
export function configForm(sections: readonly ConfigSection[]): ConfigForm {
  const shape: Readonly<Record<string, unknown>> = GatewayConfig.shape;
  const own = sections.filter(({ name, schema }) => shape[name] !== schema);
  const names = sections.map(({ name }) => name);
  const taken = own.find(({ name }) => Object.hasOwn(shape, name))?.name;
  const twice = taken ?? names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined)
    throw new SublError('failed', `two parts of the gateway read the table \`${twice}\``);
  const tables: typeof GatewayConfig.shape = {
    ...GatewayConfig.shape,
    ...Object.fromEntries(own.map(({ name, schema }) => [name, schema])),
  };
  return { schema: z.strictObject(tables), sections };
}
