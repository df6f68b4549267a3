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
    // Each form is a way through a gate, and one that asks for less is a wider one.
    'form.tool': (_, now) => now !== undefined,
    'form.fields': (old, now) => now !== undefined && hasMore(now, old),
    protected: (old, now) => old === 'gate' && now !== 'gate',
  },
  takesEffect: 'at once',
};
