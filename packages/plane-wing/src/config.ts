import { GatewayConfig } from '@subluminal/core-types';
import { type ConfigSection, hasMore, neverLooser } from '@subluminal/gateway';

/** `[plane]` of `config.toml`. */
export const PLANE_SECTION: ConfigSection<GatewayConfig['plane']> = {
  name: 'plane',
  schema: GatewayConfig.shape.plane,
  looser: {
    low: neverLooser,
    ordinary: neverLooser,
    directors: hasMore,
    protected: (old, now) => old === 'gate' && now !== 'gate',
  },
  takesEffect: 'at once',
};
