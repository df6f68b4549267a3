import { GatewayConfig } from '@subluminal/core-types';
import { hasMore, isLater, neverLooser, type ConfigSection } from '@subluminal/gateway';

const reaction = isLater('approve', 'flag', 'off');

/** `[anomaly]` of `config.toml`. */
export const ANOMALY_SECTION: ConfigSection<GatewayConfig['anomaly']> = {
  name: 'anomaly',
  schema: GatewayConfig.shape.anomaly,
  looser: {
    burst: reaction,
    large_payload: reaction,
    new_domain: reaction,
    new_for_agent: reaction,
    send_after_untrusted_read: reaction,
    tunnelled_name: neverLooser,
    unusual_volume: neverLooser,
    untrusted_servers: (old, now) => hasMore(now, old),
  },
  takesEffect: 'at once',
};
