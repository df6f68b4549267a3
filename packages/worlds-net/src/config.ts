import { GatewayConfig } from '@subluminal/core-types';
import { type ConfigSection, isLater } from '@subluminal/gateway';
import { NETWORKS } from './doors.js';

/** `[world]` of `config.toml`. */
export const WORLD_SECTION: ConfigSection<GatewayConfig['world']> = {
  name: 'world',
  schema: GatewayConfig.shape.world,
  looser: { require: isLater(...NETWORKS) },
  takesEffect: 'at once',
};
