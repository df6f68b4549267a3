import type { Change } from '../../diff/change.js';
import { type BytePath, split } from '../../files/byte-path.js';
import type { Risks } from '../../risk/risks.js';
import type { Agreed, Ask } from '../steps.js';

/** Reasons to ask, and what a person has said yes to. */
export interface AskingParts {
  readonly risks: Risks;
  /** The pattern of the policy by which a person is asked about a change; undefined: none fits. */
  readonly askedBy: (change: Change) => string | undefined;
  readonly agreed: readonly Agreed[];
}

/** Why a person is asked. */
type Reasons = Pick<Ask, 'risks' | 'pattern'>;

/** Knows which changes wait for a person's yes, and which have had it. */
export class Asking {
  readonly #parts: AskingParts;
  readonly #said: ReadonlyMap<BytePath, Agreed>;
  /** Folders that are not made, since a person has to be asked. */
  readonly #held = new Map<BytePath, Reasons>();
  readonly #waiting: Ask[] = [];
  readonly #agreed: Agreed[] = [];

  constructor(parts: AskingParts) {
    this.#parts = parts;
    this.#said = new Map(parts.agreed.map((one) => [one.path, one]));
  }

  get waiting(): readonly Ask[] {
    return this.#waiting;
  }

  get agreed(): readonly Agreed[] {
    return this.#agreed;
  }

  /** The yes of a person to what they were shown of that path. */
  saidTo(path: BytePath): Agreed | undefined {
    return this.#said.get(path);
  }

  /** Whether it has to wait for a person's yes. */
  waits(change: Change): boolean {
    const { askedBy, risks } = this.#parts;
    const above = this.#held.get(split(change.path).folder);
    const reasons = above ?? { risks: risks.of(change), pattern: askedBy(change) };
    if (reasons.risks.length === 0 && reasons.pattern === undefined) return false;
    const said = this.saidTo(change.path);
    if (said !== undefined) {
      this.#agreed.push(said);
      return false;
    }
    this.#hold(change, reasons);
    return true;
  }

  /** Has a change wait whose folder does. False if that folder does not. */
  waitsWithFolder(change: Change): boolean {
    const reasons = this.#held.get(split(change.path).folder);
    if (reasons !== undefined) this.#hold(change, reasons);
    return reasons !== undefined;
  }

  #hold(change: Change, reasons: Reasons): void {
    this.#waiting.push({ path: change.path, ...reasons });
    const isMade = change.after?.kind === 'folder' && change.before?.kind !== 'folder';
    if (isMade) this.#held.set(change.path, reasons);
  }
}
