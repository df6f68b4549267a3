/** The kinds of values that `sub completion values KIND` lists. */
export const KINDS = ['approvals', 'hosts', 'runs', 'servers', 'starters'] as const;

export type Kind = (typeof KINDS)[number];

/** The kinds of flags, whatever the verb. */
export const FLAG_KINDS: ReadonlyMap<string, Kind> = new Map([
  ['--run', 'runs'],
  ['--server', 'servers'],
  ['--host', 'hosts'],
  ['--policy', 'starters'],
]);

/** The kinds of the operands of verbs. */
export const OPERAND_KINDS: ReadonlyMap<string, Kind> = new Map([
  ['show', 'runs'],
  ['export run', 'runs'],
  ['policy init', 'starters'],
  ['policy lint', 'starters'],
  ['policy test', 'starters'],
  ['policy diff', 'starters'],
  ['policy replay', 'starters'],
  ['policy compile', 'starters'],
  ['allow remove', 'hosts'],
  ['allow deactivate', 'hosts'],
  ['approvals show', 'approvals'],
  ['approvals approve', 'approvals'],
  ['approvals deny', 'approvals'],
  ['tools list', 'servers'],
  ['tools diff', 'servers'],
  ['tools approve', 'servers'],
  ['tools forget', 'servers'],
  ['secrets bind', 'servers'],
  ['secrets unbind', 'servers'],
]);
