import { GatewayConfig } from '@subluminal/core-types';
import { hasMore, isLater, type ConfigSection } from '@subluminal/gateway';

/** `[tools]` of `config.toml`. */
export const TOOLS_SECTION: ConfigSection<GatewayConfig['tools']> = {
  name: 'tools',
  schema: GatewayConfig.shape.tools,
  looser: { flag: hasMore, pin: isLater('hold', 'flag', 'off') },
  takesEffect: 'at once',
};
