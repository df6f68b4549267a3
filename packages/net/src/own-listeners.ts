import { networkInterfaces } from 'node:os';
import { SublError } from '@subluminal/core-types';
import { addressVerdict, type CheckedDestination, sameAddress } from '@subluminal/egress';

/** Where the gateway itself listens; null while it does not. */
export type OwnPort = () => number | null;

/**
 * The gateway's own doors. Nobody is connected to them on behalf of anybody: whoever came in that way would
 * come from the gateway. A port counts under every address of this machine, since which of them a listener
 * answers on may change.
 */
export class OwnListeners {
  readonly #ports: readonly OwnPort[];
  readonly #addresses: () => readonly string[];

  constructor(ports: readonly OwnPort[], addresses: () => readonly string[] = machineAddresses) {
    this.#ports = ports;
    this.#addresses = addresses;
  }

  /** Throws `address_refused` for a destination that leads to one of them. */
  check(destination: CheckedDestination): void {
    if (!this.#ports.some((port) => port() === destination.port)) return;
    const own = this.#addresses();
    const address = destination.addresses.find((one) => isOfThisMachine(one, own));
    if (address === undefined) return;
    throw new SublError(
      'address_refused',
      `\`${destination.origin}\` is refused: the gateway itself listens there`,
      { details: { address, verdict: 'own_listener' } },
    );
  }
}

function isOfThisMachine(address: string, own: readonly string[]): boolean {
  const verdict = addressVerdict(address);
  if (verdict === 'loopback' || verdict === 'unspecified') return true;
  return own.some((one) => sameAddress(one, address));
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}
