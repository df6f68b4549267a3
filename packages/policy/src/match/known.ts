import { type CommandReading, HOLE, type Readings } from '@subluminal/readings/facts';

/** Whether all commands of a call were read, and none runs code of run time: such code may do anything. */
export function isCodeKnown({ unread, commands }: Readings): boolean {
  return unread.command === null && !commands.some(({ runs_unknown }) => runs_unknown);
}

/** Whether a word of some commands of a call is text that only run time knows. */
export function hasUnknownWord(
  { commands }: Readings,
  ofThese: (command: CommandReading) => boolean = () => true,
): boolean {
  return commands.some((command) => command.argv.includes(HOLE) && ofThese(command));
}
