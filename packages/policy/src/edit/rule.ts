import { exactGlob, type ObjectMatch } from './narrow.js';

/** A value that a predicate on an argument can ask for. */
export type ArgValue = string | number | boolean;

/** An allow rule to be written into a bundle: for one tool of one server, lifting what `overrides` names. */
export interface AllowDraft {
  readonly server_name: string;
  readonly tool_name: string;
  /** Arguments that have to have exactly these values; none: whatever the arguments are. */
  readonly args: Readonly<Record<string, ArgValue>>;
  /** Objects that the call has to be about. */
  readonly objects?: ObjectMatch;
  /** The rule that it lifts, and above which it stands. */
  readonly overrides: string;
  readonly message: string;
  readonly description?: string;
}

/** The rule as a bundle holds it. */
export interface AllowRuleJson {
  readonly rule_id: string;
  readonly description?: string;
  readonly kind: 'allow';
  readonly enabled: true;
  readonly severity: 'info';
  readonly match: ObjectMatch & {
    readonly server_name: { readonly glob: readonly [string] };
    readonly tool_name: { readonly glob: readonly [string] };
    readonly args?: { readonly key_equals: Readonly<Record<string, ArgValue>> };
  };
  readonly effect: {
    readonly action: 'ALLOW';
    readonly reason_code: 'PROMOTED_HINT';
    readonly message: string;
    readonly overrides: readonly [string];
  };
}

/** Rule ids of a bundle have at most so many characters. */
const MAX_ID = 128;
/** Room for a number behind it. */
const MAX_STEM = 100;

/** The draft as a rule, under an id that no other rule has. */
export function allowRule(draft: AllowDraft, taken: ReadonlySet<string>): AllowRuleJson {
  const { server_name, tool_name, args, objects, overrides, message, description } = draft;
  return {
    rule_id: freeId(overrides, taken),
    ...(description === undefined ? {} : { description }),
    kind: 'allow',
    enabled: true,
    severity: 'info',
    match: {
      server_name: { glob: [exactGlob(server_name)] },
      tool_name: { glob: [exactGlob(tool_name)] },
      ...(Object.keys(args).length === 0 ? {} : { args: { key_equals: args } }),
      ...objects,
    },
    effect: { action: 'ALLOW', reason_code: 'PROMOTED_HINT', message, overrides: [overrides] },
  };
}

function freeId(overrides: string, taken: ReadonlySet<string>): string {
  const stem = `allow-despite-${overrides}`;
  if (stem.length <= MAX_ID && !taken.has(stem)) return stem;
  const short = Array.from(stem)
    .slice(0, MAX_STEM / 2)
    .join('');
  const head = stem.length <= MAX_STEM ? stem : short;
  for (let number = 2; ; number += 1) if (!taken.has(`${head}-${number}`)) return `${head}-${number}`;
}
