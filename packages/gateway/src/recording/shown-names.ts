import { redact } from '@subluminal/core-types';

/** Names that are remembered, so that a name which is seen again costs a look-up. */
const MAX_NAMES = 1024;
/** Longer names are not worth the memory. */
const MAX_REMEMBERED = 256;

/**
 * Names as the ledger keeps them. A name is chosen by a client or a server, and may hold what belongs in
 * none: what looks like a credential is masked. Decisions are made on the name as it came.
 */
export class ShownNames {
  readonly #shown = new Map<string, string>();

  of(name: string): string {
    const known = this.#shown.get(name);
    if (known !== undefined) return known;
    const shown = redact(name).text;
    if (this.#shown.size >= MAX_NAMES) this.#shown.clear();
    if (name.length <= MAX_REMEMBERED) this.#shown.set(name, shown);
    return shown;
  }
}
