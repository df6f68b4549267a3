/**
 * The names that a world may keep. A program that asks for more gets no more: nothing of a world grows
 * without a bound.
 */
const MAX_NAMES = 4096;
/** 198.18.0.0/15 is for measurements, and routed by nobody (RFC 2544). */
const FIRST = 198 * 2 ** 24 + 18 * 2 ** 16;
/** So many gateways can have a world, one after the other: each one has addresses of its own. */
export const MAX_GATEWAYS = 2 ** 17 / MAX_NAMES;

/**
 * The addresses that stand for names in one world. A program connects to the address; the gateway knows the
 * name by it, whatever the protocol.
 */
export class FakeAddresses {
  readonly #first: number;
  readonly #addresses = new Map<string, string>();
  readonly #names = new Map<string, string>();

  /**
   * `gateway`: the how manieth one of the world it is, from 0 on, below `MAX_GATEWAYS`. A program may know an
   * address that stood for a name of the one before: it stands for nothing now, and for no other name.
   */
  constructor(gateway: number) {
    if (gateway >= MAX_GATEWAYS) throw new RangeError('a world has no more addresses');
    this.#first = FIRST + gateway * MAX_NAMES;
  }

  /** The address of a name; undefined where the world has too many names. */
  of(name: string): string | undefined {
    const known = this.#addresses.get(name);
    if (known !== undefined) return known;
    if (this.#addresses.size >= MAX_NAMES - 1) return undefined;
    const number = this.#first + this.#addresses.size + 1;
    const address = [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
    this.#addresses.set(name, address);
    this.#names.set(address, name);
    return address;
  }

  /** The name that an address stands for; undefined for an address that is one. */
  nameOf(address: string): string | undefined {
    return this.#names.get(address);
  }
}

/** Whether an address lies where names have theirs, so that it is no place on the net. */
export function isFake(address: string): boolean {
  return address.startsWith('198.18.') || address.startsWith('198.19.');
}
