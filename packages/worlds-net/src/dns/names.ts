/**
 * The names that a world may keep. A program that asks for more gets no more: nothing of a world grows
 * without a bound.
 */
const MAX_NAMES = 16_384;
/** 198.18.0.0/15 is for measurements, and routed by nobody (RFC 2544). */
const FIRST = 198 * 2 ** 24 + 18 * 2 ** 16 + 1;

/**
 * The addresses that stand for names in one world. A program connects to the address; the gateway knows the
 * name by it, whatever the protocol.
 */
export class FakeAddresses {
  readonly #addresses = new Map<string, string>();
  readonly #names = new Map<string, string>();

  /** The address of a name; undefined where the world has too many names. */
  of(name: string): string | undefined {
    const known = this.#addresses.get(name);
    if (known !== undefined) return known;
    if (this.#addresses.size >= MAX_NAMES) return undefined;
    const number = FIRST + this.#addresses.size;
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
