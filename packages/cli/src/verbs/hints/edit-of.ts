import { existsSync } from 'node:fs';
import { sha256Hex } from '@subluminal/core-types';
import { type AllowRuleJson, compilePolicy, ruleDigest } from '@subluminal/policy';
import type { FileText } from '../../files/replace-text.js';
import { escapeText } from '../../output/escape.js';
import type { ProposedEdit } from '../../policy/edit/propose.js';
import type { Candidate } from './candidates.js';
import { ABOUT, type Offer } from './offers.js';

/** The policy file as it is named and as it was read. */
export interface PolicyText {
  readonly named: string;
  readonly before: FileText;
}

/** The edit by which an offer is taken: its rule, in the file as it is. */
export function editOf({ named, before }: PolicyText, { candidate, result }: Offer): ProposedEdit {
  const compiled = compilePolicy(result.text, { filename: named });
  return {
    named,
    before,
    text: result.text,
    notes: [...coverage(result.rule, candidate), ...ofSignature(before.path)],
    json: {
      as: candidate.as,
      rule: result.rule,
      open: candidate.open,
      ...(compiled.ok ? { policy_hash: compiled.snapshot.policy_hash } : {}),
    },
    withheld: undefined,
  };
}

/** Binds a yes to the file that is there, and to all that would stand in it. */
export function digestOf({ before }: PolicyText, { candidate, result }: Offer): string {
  const { bytes, path } = before;
  return ruleDigest({
    as: candidate.as,
    file: path,
    before: sha256Hex(bytes),
    after: sha256Hex(result.text),
  });
}

/** A signature is of exactly the text before: nobody says yes without knowing that it ends. */
function ofSignature(path: string): readonly string[] {
  if (!existsSync(`${path}.sig`)) return [];
  return [
    'the signature of the file is none of this text: where `policy.accept` is `signed`, the rule is not in force, nor is any edit, until `sub policy sign` makes a new one',
  ];
}

/** The calls that the rule lets through, and their parts that it does not look at. */
function coverage(rule: AllowRuleJson, { as, draft, open }: Candidate): readonly string[] {
  const names = (keys: readonly string[]): string => keys.map((key) => `\`${escapeText(key)}\``).join(', ');
  const keys = Object.keys(draft.args);
  const lifted = escapeText(rule.effect.overrides[0]);
  const which = as !== 'args' || keys.length === 0 ? ABOUT[as] : `exactly these values of ${names(keys)}`;
  return [
    `rule \`${lifted}\` no longer refuses this tool with ${which}; every other rule decides as before`,
    ...(open.length === 0
      ? []
      : [`not looked at: ${names(open)} (a rule compares texts, numbers and truth values only)`]),
    ...(as === 'args' ? ['further arguments beside these are not looked at either'] : []),
  ];
}
