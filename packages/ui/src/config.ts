import { GatewayConfig } from '@subluminal/core-types';
import { type ConfigSection, neverLooser } from '@subluminal/gateway';

/** `[ui]` of `config.toml`. */
export const UI_SECTION: ConfigSection<GatewayConfig['ui']> = {
  name: 'ui',
  schema: GatewayConfig.shape.ui,
  looser: { port: neverLooser },
  takesEffect: 'with a start',
};
