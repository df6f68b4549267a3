import type { Speaks } from '@subluminal/core-types';
import type { Ledger } from '@subluminal/ledger';
import type { Clock, PeerLimits, RandomBytes, RunPlaces } from '@subluminal/gateway';
import type { ServiceAdapters } from '@subluminal/services';
import type { HttpLimits } from '@subluminal/remote';
import type { ProxyLimits } from '@subluminal/proxy';
import type { PlaneParts } from '@subluminal/plane-wing';
import type { DesktopPlaces } from '@subluminal/notify';
import type { Resolver } from '@subluminal/egress';

/** How a gateway is started. Everything but `home` has its real default; tests hand in their own. */
export interface GatewayOptions {
  /** The home folder, which must exist. */
  readonly home: string;
  readonly headsLog?: string;
  /** Log lines go here as well. */
  readonly echo?: { write(line: string): void };
  readonly clock?: Clock;
  /** Milliseconds of a clock that only goes forward: what runs share of the time is counted by it. */
  readonly monotonic?: () => number;
  readonly random?: RandomBytes;
  readonly resolver?: Resolver;
  /** Certificates that are trusted besides the built-in ones and those of `[egress] extra_ca_file`. */
  readonly extraCas?: readonly string[];
  /** Where programs that show a message on the desktop are. */
  readonly desktop?: DesktopPlaces;
  readonly http?: Partial<HttpLimits>;
  readonly proxy?: Partial<ProxyLimits>;
  /** In place of the real adapters; an action without one answers `adapter_unavailable`. */
  readonly adapters?: Partial<ServiceAdapters>;
  readonly limits?: Partial<PeerLimits>;
  readonly runs?: RunPlaces;
  /** What this gateway is and speaks. */
  readonly speaks?: Speaks;
  /** How long a run that ends waits for its requests that are under way. */
  readonly runEndMs?: number;
  /** In place of what decides on the work of agents. */
  readonly fold?: PlaneParts['fold'];
  /** Stands between the gateway and its ledger. */
  readonly wrapLedger?: (ledger: Ledger) => Ledger;
}
