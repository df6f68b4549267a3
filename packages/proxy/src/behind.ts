import type { Dialer } from '@subluminal/egress';
import type { RefusalReason } from '@subluminal/gateway';
import type { ShownToken } from './client/basic.js';
import type { Feeds } from './carry/feed.js';
import type { Injector } from './inspect/injector.js';
import type { ProxyLimits } from './limits.js';
import type { RunLink } from './run-link.js';
import type { TurnBytes } from './carry/turn-bytes.js';

/** What stands behind a connection of a client. */
export interface Behind {
  readonly limits: ProxyLimits;
  readonly dialer: Pick<Dialer, 'openPlain' | 'connect'>;
  readonly injector: Injector;
  readonly share: TurnBytes;
  readonly feeds: Feeds;
  readonly monotonic: () => number;
  /** Only listed names pass, so that a name has to be readable. */
  readonly strict: boolean;
  /** The run that a token stands for. Throws `NotAdmitted`, or `Denial` where the run has ended. */
  readonly admit: (shown: ShownToken | undefined) => RunLink;
  readonly count: (reason: RefusalReason) => void;
}
