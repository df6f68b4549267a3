/** The refusal of a command that the policy isolates: it comes again, to a world and a layer of its own. */
export const ISOLATED =
  'the policy gives this command a layer of its own: `sub world exec --fresh` makes one';
/** The refusal of a command that comes to a world which is for one command, and has had it. */
export const NOT_REUSED =
  'the policy gives each command a world of its own: `sub world exec --fresh` makes one';
