import type { Place } from '../paths/normal.js';
import type { SimpleCommand } from './command.js';
import { HOLE } from './marks.js';
import { printsSettings } from './settings.js';

/** The standard output of commands where their text tells it; undefined where it does not. */
export function knownOutput(commands: readonly SimpleCommand[], place: Place): string | undefined {
  const last = commands.at(-1);
  if (last === undefined) return undefined;
  const operands = last.words.slice(1);
  const isAlone = commands.length === 1;
  if (isAlone && printsSettings(last)) return '';
  switch (last.program) {
    case 'echo':
      return isAlone ? operands.filter((word, at) => at > 0 || !/^-[neE]+$/.test(word)).join(' ') : undefined;
    case 'printf':
      return isAlone ? printed(operands) : undefined;
    case 'pwd':
      return isAlone ? last.cwd[0] : undefined;
    case 'mktemp':
      return `${place.tmp}/${HOLE}`;
    case 'git':
      return operands.includes('--show-toplevel') ? place.project : undefined;
    case 'cat':
      return operands.length === 0 && last.stdin?.is === 'text' ? last.stdin.text : undefined;
    case 'dirname':
      return operands[0]?.replace(/\/[^/]*$/, '');
    case 'base64':
      return operands.some((word) => /^(?:-d|-D|--decode)$/.test(word)) ? decoded(last, place) : undefined;
    default:
      return undefined;
  }
}

/** The input of a command where its text tells it. */
export function knownInput({ stdin }: SimpleCommand, place: Place): string | undefined {
  if (stdin?.is === 'text') return stdin.text;
  return stdin?.is === 'commands' ? knownOutput(stdin.from, place) : undefined;
}

function printed([format = '', ...values]: readonly string[]): string {
  let next = 0;
  const value = (): string => {
    next += 1;
    return values[next - 1] ?? '';
  };
  return format
    .replace(/%[sbqd]/g, value)
    .replaceAll('\\n', '\n')
    .replaceAll('\\0', '\0')
    .replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function decoded(command: SimpleCommand, place: Place): string | undefined {
  const text = knownInput(command, place);
  if (text === undefined || text.includes(HOLE)) return undefined;
  return Buffer.from(text, 'base64').toString('utf8').replace(/\n$/, '');
}
