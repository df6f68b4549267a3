/** So much of a command is looked at. */
const MAX_LOOKED_AT = 512;

/** Words in front of a program that run it. */
const IN_FRONT: ReadonlySet<string> = new Set([
  'bunx',
  'command',
  'env',
  'exec',
  'nice',
  'nohup',
  'npx',
  'pnpx',
  'sudo',
  'time',
  'timeout',
  'uv',
  'uvx',
]);

/** Programs that do nothing themselves. */
const IDLE: ReadonlySet<string> = new Set(['cd', 'export', 'set', 'sleep', 'source', 'true']);

/** A program with the words behind it. */
export interface Command {
  /** Its name without a path. */
  readonly program: string;
  readonly words: readonly string[];
  /** The first word behind it that is no option; empty without one. */
  readonly verb: string;
}

/**
 * The first program of a command that does something; undefined for a text without one. A coarse reading: it
 * serves to tell kinds of work from each other, and decides nothing.
 */
export function commandOf(text: string): Command | undefined {
  for (const part of text.slice(0, MAX_LOOKED_AT).split(/&&|\|\||[;|\n]/)) {
    const command = simple(part.split(' ').filter((word) => word !== ''));
    if (command !== undefined && !IDLE.has(command.program)) return command;
  }
  return undefined;
}

function simple(words: readonly string[]): Command | undefined {
  const at = words.findIndex((word) => !isInFront(word));
  const first = words[at];
  if (first === undefined) return undefined;
  const rest = words.slice(at + 1);
  return {
    program: first.slice(first.lastIndexOf('/') + 1),
    words: rest,
    verb: rest.find((word) => !word.startsWith('-')) ?? '',
  };
}

function isInFront(word: string): boolean {
  return IN_FRONT.has(word) || /^[A-Za-z_]\w{0,63}=/.test(word) || /^\d{1,6}[smh]?$/.test(word);
}
