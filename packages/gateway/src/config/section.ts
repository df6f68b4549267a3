import type * as z from 'zod';
import type { IsLooser } from './ranks.js';

/** A table of `config.toml`. The wing that reads it declares it; the composition root puts all together. */
export interface ConfigSection<T = unknown> {
  readonly name: string;
  /** Its keys with their defaults: a file without the table is the same as one with an empty table. */
  readonly schema: z.ZodType<T>;
  /** How its settings are compared, by key. One that is not here counts as looser whatever becomes of it. */
  readonly looser: Readonly<Record<string, IsLooser>>;
  /** Whether a changed table takes effect while the gateway runs, or with its next start. */
  readonly takesEffect: 'at once' | 'with a start';
}
