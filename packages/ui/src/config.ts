import * as z from 'zod';
import { type ConfigSection, neverLooser } from '@subluminal/gateway';

const UiConfig = z.strictObject({ port: z.number().int().min(1024).max(65_535).optional() }).prefault({});
export type UiConfig = z.infer<typeof UiConfig>;

/** `[ui]` of `config.toml`. */
export const UI_SECTION: ConfigSection<UiConfig> = {
  name: 'ui',
  schema: UiConfig,
  looser: { port: neverLooser },
  takesEffect: 'with a start',
};
