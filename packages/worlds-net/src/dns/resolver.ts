import { encodeAnswer, RCODE, TYPE_A } from './answer.js';
import type { FakeAddresses } from './names.js';
import { type Question, readQuestion } from './question.js';

/** Questions of one world that wait for a decision. */
const MAX_WAITING = 256;

export interface ResolverParts {
  readonly names: FakeAddresses;
  /** Asks whether a program of the world may learn that the name leads somewhere. */
  readonly mayKnow: (name: string) => Promise<boolean>;
  /** The rules of the moment: an answer holds only under them. */
  readonly generation: () => number;
  /** A datagram that is no question. */
  readonly onMalformed: () => void;
}

/**
 * The names of one world. No question leaves the machine: a name that may be known gets an address that means
 * nothing outside, and is looked up when a connection to it was allowed.
 */
export class WorldResolver {
  readonly #parts: ResolverParts;
  /** The names that were allowed under these rules. */
  readonly #known = new Map<string, number>();
  #waiting = 0;

  constructor(parts: ResolverParts) {
    this.#parts = parts;
  }

  /** The answer to a datagram; undefined where it gets none. Never rejects. */
  async answer(datagram: Buffer): Promise<Buffer | undefined> {
    const question = readQuestion(datagram);
    if (question === undefined) {
      this.#parts.onMalformed();
      return undefined;
    }
    const { name } = question;
    // Programs look up the names of addresses for their logs: nobody has them.
    if (name.endsWith('.in-addr.arpa') || name.endsWith('.ip6.arpa') || isLocal(name))
      return encodeAnswer(question, RCODE.unknown);
    if (this.#waiting >= MAX_WAITING) return encodeAnswer(question, RCODE.failed);
    this.#waiting += 1;
    try {
      return (await this.#mayKnow(name)) ? this.#known4(question) : encodeAnswer(question, RCODE.unknown);
    } catch {
      // Not decided is not allowed; the program may ask again.
      return encodeAnswer(question, RCODE.failed);
    } finally {
      this.#waiting -= 1;
    }
  }

  async #mayKnow(name: string): Promise<boolean> {
    const { generation, mayKnow, names } = this.#parts;
    const current = generation();
    if (this.#known.get(name) === current) return true;
    const may = await mayKnow(name);
    // Bounded as the addresses are: a name without one is asked for each time.
    if (may && names.of(name) !== undefined) this.#known.set(name, current);
    return may;
  }

  #known4(question: Question): Buffer {
    // Of IPv6 there is nothing in a world: the name is there, and has no such address.
    if (question.type !== TYPE_A) return encodeAnswer(question, RCODE.ok);
    const address = this.#parts.names.of(question.name);
    return address === undefined
      ? encodeAnswer(question, RCODE.refused)
      : encodeAnswer(question, RCODE.ok, address);
  }
}

/** Names of the machine itself (RFC 6761 §6.3): the file of hosts has them. */
function isLocal(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}
