import { ANOMALY_SECTION } from '@subluminal/anomaly';
import { configForm, type ConfigFile } from '@subluminal/gateway';
import type { HomePaths } from '@subluminal/ipc';
import { PLANE_SECTION } from '@subluminal/plane-wing';
import { HTTP_SECTION } from '@subluminal/remote';
import { TOOLS_SECTION } from '@subluminal/tools';
import { UI_SECTION } from '@subluminal/ui';
import { WORLD_SECTION } from '@subluminal/worlds-net';

/** The tables of `config.toml` that wings read. */
export const CONFIG_SECTIONS = [
  ANOMALY_SECTION,
  TOOLS_SECTION,
  HTTP_SECTION,
  WORLD_SECTION,
  PLANE_SECTION,
  UI_SECTION,
] as const;

const FORM = configForm(CONFIG_SECTIONS);

/** `config.toml` of a home, with the tables of every wing. */
export function configOf({ config: path }: Pick<HomePaths, 'config'>): ConfigFile {
  return { path, form: FORM };
}
