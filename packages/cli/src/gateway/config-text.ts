import { textAt, textsAt, type JsonValue } from '@subluminal/core-types';
import { counted } from '../output/counted.js';

const MAX_KEYS = 8;

/** Where what runs is not what `config.toml` says: why, and what to do. Undefined where it is. */
export function configDifference(
  status: JsonValue,
): { readonly message: string; readonly help: string } | undefined {
  const problem = textAt(status, 'config', 'error', 'message');
  if (problem !== '')
    return {
      message: `config.toml is not in force, and the settings of before are: ${problem}`,
      help: textAt(status, 'config', 'error', 'help') || 'correct the file: it is read again when it changes',
    };
  const waiting = textsAt(status, 'config', 'waiting');
  if (waiting.length === 0) return undefined;
  const more = waiting.length > MAX_KEYS ? ` and ${counted(waiting.length - MAX_KEYS, 'more key')}` : '';
  const keys = waiting.slice(0, MAX_KEYS).map((key) => `\`${key}\``);
  return {
    message: `config.toml has changed since the gateway started: ${keys.join(', ')}${more} ${waiting.length === 1 ? 'is' : 'are'} not in force yet`,
    help: 'run `sub up --restart`: runs go on',
  };
}
