import * as z from 'zod';
import { HintKind, Severity } from './decision.js';
import { ClientName, EnvName } from './identity.js';
import { Rfc3339 } from './json.js';
import { PolicyWorld } from './policy-world.js';

const Scalar = z.union([z.string(), z.number(), z.boolean()]);
const NameMatch = z.strictObject({
  glob: z.array(z.string()).optional(),
  regex: z.array(z.string()).optional(),
});
const Scope = z.enum(['run', 'tool', 'server_tool']);
const Count = z.number().int().nonnegative();

/** The askers that a policy applies to: arrays are OR, fields are AND, an omitted field matches all. */
export const PolicySelectors = z.strictObject({
  env: z.array(EnvName).optional(),
  agent_id: z.array(z.string()).optional(),
  client: z.array(ClientName).optional(),
  workload: z
    .strictObject({
      namespace: z.array(z.string()).optional(),
      service_account: z.array(z.string()).optional(),
      labels: z.record(z.string(), z.string()).optional(),
      repo: z.array(z.string()).optional(),
      branch: z.array(z.string()).optional(),
    })
    .optional(),
});

const Texts = z.array(z.string()).optional();

/** Files by their paths (our minor extension). A file has to fit every field. */
const PathMatch = z.strictObject({
  under: Texts,
  glob: Texts,
  outside: Texts,
  access: z.array(z.enum(['read', 'write', 'delete', 'look', 'change'])).optional(),
});
/** Simple commands of shell texts (our minor extension). A command has to fit every field. */
const CommandMatch = z.strictObject({
  program: Texts,
  not_program: Texts,
  argv: Texts,
  not_argv: Texts,
  via: Texts,
  writes_to: PathMatch.optional(),
  network: z.boolean().optional(),
  runs_unknown: z.boolean().optional(),
  unknown_words: z.boolean().optional(),
  unparsed: z.literal(true).optional(),
});
/** Hosts that a call names (our minor extension). A host has to fit every field. */
const HostMatch = NameMatch.extend({ not_glob: Texts });
/** Statements of queries (our minor extension). A statement has to fit every field. */
const SqlMatch = z.strictObject({
  verbs: Texts,
  without_where: z.boolean().optional(),
  unparsed: z.literal(true).optional(),
});
/** A text of the arguments (our minor extension). */
const TextMatch = z.strictObject({
  at: z.string().min(1).max(256),
  glob: Texts,
  regex: Texts,
  contains: Texts,
  not: z.boolean().optional(),
});

/** The calls that a rule matches: all fields optional, AND together. */
export const RuleMatch = z.strictObject({
  server_name: NameMatch.optional(),
  tool_name: NameMatch.optional(),
  risk_class: z.array(z.string()).optional(),
  args: z
    .strictObject({
      has_keys: z.array(z.string()).optional(),
      key_equals: z.record(z.string(), Scalar).optional(),
      key_in: z.record(z.string(), z.array(Scalar)).optional(),
      numeric_range: z
        .record(z.string(), z.strictObject({ min: z.number().optional(), max: z.number().optional() }))
        .optional(),
      text: z.array(TextMatch).optional(),
    })
    .optional(),
  path: PathMatch.optional(),
  command: CommandMatch.optional(),
  host: HostMatch.optional(),
  sql: SqlMatch.optional(),
  time: z.strictObject({ utc_hours: z.array(z.number().int().min(0).max(23)).optional() }).optional(),
});
export type RuleMatch = z.infer<typeof RuleMatch>;

const common = {
  rule_id: z.string().min(1).max(128),
  enabled: z.boolean(),
  match: RuleMatch,
  severity: Severity,
  description: z.string().optional(),
};

/**
 * The advice by which an agent corrects itself (our minor extension, but for `hint_text`).
 * `suggested_args` is put over the call's arguments after `drop_args` are taken out; `{{args.NAME}}` in its
 * texts is an argument of the call.
 */
const hintFields = {
  hint_text: z.string().optional(),
  hint_kind: HintKind.optional(),
  retry_advice: z.string().optional(),
  suggested_args: z.record(z.string(), z.json()).optional(),
  drop_args: z.array(z.string()).optional(),
};
/** The words to a run that ends (our minor extension, but for a breaker's `terminate_code`). */
const terminateFields = {
  terminate_code: z.string().min(1).optional(),
  terminate_message: z.string().optional(),
};

const accessFields = { reason_code: z.string().min(1), message: z.string() };

const AllowRule = z.strictObject({
  ...common,
  kind: z.literal('allow'),
  effect: z.strictObject({
    action: z.literal('ALLOW'),
    ...accessFields,
    /** Rules below that do not hold for the calls that this one matches (our minor extension). */
    overrides: z.array(z.string().min(1).max(128)).optional(),
  }),
});
const DenyRule = z.strictObject({
  ...common,
  kind: z.literal('deny'),
  effect: z.strictObject({
    action: z.literal('BLOCK'),
    ...accessFields,
    ...hintFields,
    /** Leaves the tool out of `tools/list` (our minor extension): false unless set. */
    hide: z.boolean().optional(),
  }),
});
/** A person is asked for each call that it matches, in mode control (our minor extension). */
const AskRule = z.strictObject({
  ...common,
  kind: z.literal('ask'),
  effect: z.strictObject({
    action: z.literal('ASK'),
    message: z.string(),
    /** A way for the agent to do without. */
    hint_text: z.string().optional(),
  }),
});
const TagRule = z.strictObject({
  ...common,
  kind: z.literal('tag'),
  effect: z.strictObject({ tag: z.strictObject({ add_risk_class: z.array(z.string().min(1)).min(1) }) }),
});
const BudgetRule = z.strictObject({
  ...common,
  kind: z.literal('budget'),
  effect: z.strictObject({
    budget: z.strictObject({
      scope: Scope,
      limit_calls: Count.optional(),
      limit_cost_units: Count.optional(),
      /** Calls of the class `write_like` (our minor extension). */
      limit_write_actions: Count.optional(),
      cost_units_per_call: Count.default(1),
      /** The argument whose number is the cost, instead of `cost_units_per_call` (our minor extension). */
      cost_units_from: z.string().min(1).max(256).optional(),
      /** `ASK` (our extension): a person is asked whether it may go over. */
      on_exceed: z.enum(['BLOCK', 'REJECT_WITH_HINT', 'TERMINATE_RUN', 'ASK']),
      ...terminateFields,
      ...hintFields,
    }),
  }),
});
const RateLimitRule = z.strictObject({
  ...common,
  kind: z.literal('rate_limit'),
  effect: z.strictObject({
    rate_limit: z
      .strictObject({
        scope: Scope,
        capacity: Count,
        refill_tokens: Count,
        refill_period_ms: z.number().int().positive(),
        cost_tokens_per_call: Count.default(1),
        on_limit: z.enum(['THROTTLE', 'BLOCK', 'REJECT_WITH_HINT']),
        backoff_ms: Count.optional(),
        ...hintFields,
      })
      .refine((rule) => rule.on_limit !== 'THROTTLE' || rule.backoff_ms !== undefined, {
        path: ['backoff_ms'],
        message: 'on_limit THROTTLE needs backoff_ms',
      }),
  }),
});
const BreakerRule = z.strictObject({
  ...common,
  kind: z.literal('breaker'),
  effect: z.strictObject({
    breaker: z.strictObject({
      scope: Scope,
      error_threshold: Count,
      window_ms: z.number().int().positive(),
      repeat_threshold: Count,
      repeat_window_ms: z.number().int().positive(),
      /** A call that took longer counts as an error (our minor extension). */
      latency_threshold_ms: z.number().int().positive().optional(),
      on_trip: z.enum(['TERMINATE_RUN', 'BLOCK', 'REJECT_WITH_HINT']),
      ...terminateFields,
      ...hintFields,
    }),
  }),
});
const DedupeRule = z.strictObject({
  ...common,
  kind: z.literal('dedupe'),
  effect: z.strictObject({
    dedupe: z.strictObject({
      scope: Scope,
      window_ms: z.number().int().positive(),
      key: z.enum(['args_hash', 'custom']),
      on_duplicate: z.enum(['BLOCK', 'REJECT_WITH_HINT']),
      ...hintFields,
    }),
  }),
});

/** One rule, by its kind. */
export const PolicyRule = z.discriminatedUnion('kind', [
  AllowRule,
  DenyRule,
  AskRule,
  BudgetRule,
  RateLimitRule,
  BreakerRule,
  DedupeRule,
  TagRule,
]);
export type PolicyRule = z.infer<typeof PolicyRule>;

/** Keys of tools that hold files, or text of a shell, besides the usual ones (our minor extension). */
const ToolKeys = z.strictObject({
  server_name: NameMatch.optional(),
  tool_name: NameMatch.optional(),
  paths: z.array(z.string().min(1).max(256)).optional(),
  commands: z.array(z.string().min(1).max(256)).optional(),
});

/** Options whose value is a file, `operands` for all of them, `last` for the last. */
const FilesOf = z.array(z.string().regex(/^(?:--?[A-Za-z0-9][\w-]*|operands|last)$/)).optional();
/** The effects of a program, besides those that are known of it (our minor extension). */
const ProgramEffects = z.strictObject({
  reads: FilesOf,
  writes: FilesOf,
  deletes: FilesOf,
  network: z.literal(true).optional(),
});

/** A policy bundle. `defaults.no_match` is our minor extension: ALLOW unless set. */
export const PolicyBundle = z.strictObject({
  policy_id: z.string().min(1).max(128),
  version: z.string().min(1).max(128),
  mode: z.enum(['observe', 'guardrails', 'control']),
  defaults: z.strictObject({
    decision_on_error: z.enum(['ALLOW', 'BLOCK']),
    fail_open_read_tools: z.boolean().default(false),
    no_match: z.enum(['ALLOW', 'BLOCK']).default('ALLOW'),
  }),
  selectors: PolicySelectors,
  rules: z.array(PolicyRule),
  /** Lists that `@name` stands for in the lists of matches (our minor extension). */
  sets: z.record(z.string().min(1).max(64), z.array(z.string())).optional(),
  tools: z.array(ToolKeys).min(1).max(256).optional(),
  programs: z.record(z.string().regex(/^[^/\s]{1,64}$/), ProgramEffects).optional(),
  world: PolicyWorld.optional(),
  description: z.string().optional(),
  owner: z.string().optional(),
  created_at: Rfc3339.optional(),
});
export type PolicyBundle = z.infer<typeof PolicyBundle>;
