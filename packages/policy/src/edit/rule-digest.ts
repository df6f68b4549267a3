import { canonicalize, sha256Hex } from '@subluminal/core-types';

/** A rule in the policy file: the reading that it follows, and the file's hash without it and with it. */
export interface RuleEdit {
  readonly as: string;
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

/** Binds a yes to the file that is there, and to all that would stand in it. */
export function ruleDigest({ as, file, before, after }: RuleEdit): string {
  return sha256Hex(canonicalize({ as, file, before, after }));
}
