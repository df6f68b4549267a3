/** Every code that a problem of a policy bundle can have. A code is never reused for another meaning. */
export const PROBLEM_CODES = {
  // the text
  too_large:
    'the file is larger than 262,144 characters (4,194,304 of JSON), or expands to more than 50,000 values (500,000)',
  too_deep: 'values are nested deeper than 64 levels',
  syntax: 'the text is not YAML, or not strict JSON where JSON was asked for',
  tab_indent: 'a tab is used to indent YAML',
  duplicate_key: 'a key stands twice in one mapping',
  key_not_text: 'a key is not a text',
  yaml_feature: 'a directive, a tag or a second document is used',
  unknown_alias: 'an alias names no anchor above it, or itself',
  text_not_unicode: 'a text holds half of a surrogate pair',
  number_form: 'a number is not written as a plain decimal number',
  number_lossy: 'a number would be rounded when it is read',

  // the schema
  missing_key: 'a required key is missing',
  unknown_key: 'a key is not known there',
  unknown_kind: 'a rule has a kind that does not exist',
  unknown_selector: 'a selector does not exist',
  wrong_type: 'a value has the wrong type',
  wrong_value: 'a value is not one of those that are allowed',

  // what the schema cannot say
  duplicate_rule_id: 'two rules have the same `rule_id`',
  empty_list: 'a list is empty where it must name something',
  empty_match: 'a part of a match names nothing to match',
  empty_pattern: 'a glob or a regex is empty',
  bad_glob: 'a glob cannot be read',
  bad_regex: 'a regex is not RE2 syntax',
  pattern_too_large: 'a glob or a regex is longer, or compiles to more, than the limit',
  range_inverted: '`min` is greater than `max`',
  limit_missing: 'a limit limits nothing',
  limit_too_large: 'the numbers of a rate limit are too large to be counted exactly',
  override_unknown: 'an override names no deny and no limit of the policy',
  override_below: 'an override names a rule that does not stand below it',
  bad_template: 'suggested arguments have a placeholder that does not exist',
  hide_needs_names: 'a deny that hides a tool matches more than names',
  bad_path: 'a pattern of paths cannot be read',
  unknown_set: 'a list names a set that the policy does not have',
  unparsed_alone: '`unparsed` stands beside another part of its match',
  duplicate_profile: 'two profiles of worlds have the same name',
  bad_host: 'a host of `net.allowed` is none',
  world_too_wide: 'a world would write the home or the whole file system',
  not_available: 'the bundle needs something that this version does not enforce',

  // warnings
  deny_shadowed: 'an allow above a deny matches every call that the deny matches',
  never_matches: 'a rule can never match, unless the annotations of a tool say so',
  rule_unreachable: 'a rule above decides every call that the rule matches',
  rule_disabled: 'a rule is disabled',
  limit_lifted: 'an allow overrides a limit for every call that the limit matches',
  limit_always: 'a limit refuses every call that it matches',
  hint_needs_control: 'a hint is written in mode `guardrails`, which gives none',
  hint_unused: 'a hint is written that no answer carries',
  unread_passes: 'denies look at commands or statements, and none asks for those that could not be read',
  tools_unused: 'a key of tools is named that no rule looks at, or that is read anyway',
  project_only_narrows:
    'a part of a `.subluminal.yaml` that a policy of a project cannot have, since it only narrows',
  profile_never: 'a profile of worlds can never apply',
  world_never: 'a pattern for worlds can never match anything there',
  host_not_listed: 'a host of `net.allowed` is on no entry of the allowlist',
  world_shows_gateway: 'a world would see the home of the gateway',
  range_open: 'a range has neither `min` nor `max`, so that it matches every number',
} as const;

/** One of the documented codes. */
export type ProblemCode = keyof typeof PROBLEM_CODES;
