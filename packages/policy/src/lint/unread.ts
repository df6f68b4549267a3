import { type Finding, quoted } from '../problem/problem.js';
import type { PlainPolicy, PlainRule } from '../snapshot/plain.js';

/** Objects that are read out of a text: a text that cannot be read has none. */
const READ = [
  { field: 'command', what: 'command', reader: 'a shell' },
  { field: 'sql', what: 'statement', reader: 'the database' },
] as const;
type Field = (typeof READ)[number]['field'];

/**
 * Denies and asks of commands or statements in a policy that lets pass a text of which none could be read.
 */
export function unreadWarnings(policy: PlainPolicy): readonly Finding[] {
  return READ.flatMap(({ field, what, reader }): readonly Finding[] => {
    const at = policy.rules.findIndex((rule) => stops(rule) && looksAt(rule, field));
    const rule = policy.rules[at];
    const isAsked = policy.rules.some((one) => stops(one) && one.match[field]?.unparsed === true);
    if (rule === undefined || isAsked || blocksUnread(policy, field)) return [];
    const message = `a ${what} that ${reader} understands and nobody here can read passes rule ${quoted(rule.rule_id)}, and no rule asks for those`;
    return [
      {
        code: 'unread_passes',
        message,
        path: ['rules', at, 'match', field],
        help: `add a deny with \`match: { ${field}: { unparsed: true } }\``,
      },
    ];
  });
}

function stops(rule: PlainRule): boolean {
  return rule.enabled && (rule.kind === 'deny' || rule.kind === 'ask');
}

function looksAt({ match }: PlainRule, field: Field): boolean {
  return match[field] !== undefined && match[field].unparsed === undefined;
}

/** Where nothing passes that no rule allows, an allow that looks at all of the text lets none of it pass. */
function blocksUnread({ defaults, rules }: PlainPolicy, field: Field): boolean {
  const allows = rules.filter((rule) => rule.enabled && rule.kind === 'allow');
  return defaults.no_match === 'BLOCK' && allows.every((rule) => looksAt(rule, field));
}
