/** The refusal of a command that comes to a world which is for one command, and has had it. */
export const NOT_REUSED =
  'the policy gives each command a world of its own: `sub world exec --fresh` makes one';
