/** A rule that lets calls like a refused one through, as it would be written into the policy file. */
export interface RuleOffer {
  /** The way in which calls are alike, as `sub hints promote --as` names it, and in words. */
  readonly as: string;
  readonly about: string;
  /** Its difference to the file as it is: all of it. */
  readonly diff: readonly string[];
  /** The calls that it covers, and what it does not look at. */
  readonly notes: readonly string[];
  /** The digest that a yes carries; null if the difference is longer than a page shows. */
  readonly shown: string | null;
}

/** The rules that can be written for a refused call, the narrowest first. */
export interface RuleOffers {
  readonly file: string;
  readonly offers: readonly RuleOffer[];
  /** Why none can ask for its arguments. */
  readonly lacks: string | null;
}

/** A rule that was written. */
export interface RuleWritten {
  readonly file: string;
  readonly rule: string;
  /** Of the policy that the file says now. */
  readonly policy_hash: string;
}
