import { GatewayConfig } from '@subluminal/core-types';
import { neverLooser, type ConfigSection } from '@subluminal/gateway';

/** `[http]` of `config.toml`. */
export const HTTP_SECTION: ConfigSection<GatewayConfig['http']> = {
  name: 'http',
  schema: GatewayConfig.shape.http,
  looser: { port: neverLooser },
  takesEffect: 'with a start',
};
