import { type CommandReading, HOLE, type Readings } from '@subluminal/readings/facts';
import { byFirstWord, type PatternPool } from '../pattern/pool.js';
import type { NameTest } from '../pattern/regex.js';
import type { PlainCommand } from '../snapshot/plain-objects.js';
import type { Condition, Match } from './condition.js';
import { preparedTest, type WithoutProject } from './path.js';
import type { Prepared } from './prepared.js';
import { overAll, type Quantity } from './quantity.js';

/**
 * The condition on the simple commands of a call. All its parts have to hold for one command; `unparsed` is
 * on the text as a whole. An allow needs every command to fit and all text to be read, and takes a program by
 * its bare name alone.
 */
export function commandCondition(
  command: PlainCommand,
  quantity: Quantity,
  pool: PatternPool,
  prepared: Prepared,
  withoutProject: WithoutProject,
): Condition {
  const fits = commandTest(command, quantity, pool, prepared, withoutProject);
  // Only commands that begin with one of these words can fit.
  const named = quantity === 'every' ? undefined : (command.argv ?? command.program);
  const words = named === undefined ? undefined : byFirstWord(pool.names({ glob: named })).words;
  return {
    field: 'command',
    test: ({ call }) => {
      const { readings } = call;
      if (readings === undefined) return 'unknown';
      if (command.unparsed === true) return readings.unread.command === null ? 'no' : 'yes';
      const some = words === undefined ? readings.commands : prepared.of(readings).beginning(words, readings);
      const found = overAll(some, quantity, (one) => fits(one, readings));
      return quantity === 'every' && readings.unread.command !== null && found === 'yes' ? 'unknown' : found;
    },
  };
}

function commandTest(
  command: PlainCommand,
  quantity: Quantity,
  pool: PatternPool,
  prepared: Prepared,
  withoutProject: WithoutProject,
): (one: CommandReading, readings: Readings) => Match {
  const { program: own, not_program, argv: line, not_argv } = command;
  const [program, other, argv, except] = [own, not_program, line, not_argv].map((glob) =>
    glob === undefined ? undefined : byFirstWord(pool.names({ glob })).test,
  );
  const { writes_to: to } = command;
  const writes = to === undefined ? undefined : preparedTest(to, quantity, withoutProject);
  return (one, readings) => {
    const isEvery = quantity === 'every';
    if (program !== undefined && !programFits(one, program, isEvery)) return 'no';
    // Nothing is started by a bare redirection.
    if (other !== undefined && (one.program === '' || other(one.spelled))) return 'no';
    if (argv !== undefined && !argv(one.argv) && (isEvery || !argv(prepared.of(readings).apart(one.argv))))
      return 'no';
    if (except?.(one.argv) === true) return 'no';
    if (command.network !== undefined && one.network !== command.network) return 'no';
    if (command.runs_unknown !== undefined && one.runs_unknown !== command.runs_unknown) return 'no';
    if (command.unknown_words !== undefined && one.argv.includes(HOLE) !== command.unknown_words) return 'no';
    if (command.via !== undefined && !one.via.some((name) => command.via?.includes(name) === true))
      return 'no';
    if (writes !== undefined) {
      const roots = prepared.of(readings).roots(readings);
      const found = overAll(one.writes_to, quantity, (path) =>
        writes({ forms: [prepared.form(path)], access: 'write', is_recursive: false }, roots),
      );
      if (found !== 'yes') return found;
    }
    return isEvery && (one.runs_unknown || one.argv.includes(HOLE)) ? 'unknown' : 'yes';
  };
}

/** A path to a program may be anybody's program of that name: a deny takes it, an allow does not. */
function programFits({ program, spelled }: CommandReading, test: NameTest, isEvery: boolean): boolean {
  return test(isEvery ? spelled : program);
}
