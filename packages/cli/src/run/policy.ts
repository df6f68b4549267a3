import { MAX_RUN_POLICY_CHARS, SublError } from '@subluminal/core-types';
import type { Call } from '../program/call.js';
import { readPolicy } from '../policy/source.js';
import { printMistakes } from '../verbs/policy/lint.js';

/** A policy that a run is given, as it goes to the gateway. */
export interface GivenPolicy {
  readonly text: string;
  readonly format: 'yaml' | 'json';
  /** The answer of a gateway that understood. */
  readonly hash: string;
}

/**
 * Reads what `--policy` names; undefined where it has mistakes, which are shown, each with line and column.
 *
 * @throws SublError `usage` for what cannot be one; `policy_missing`.
 */
export function readGivenPolicy(call: Call, path: string): GivenPolicy | undefined {
  if (path === '-') {
    throw new SublError('usage', '`--policy` takes a file', { help: 'stdin belongs to the command' });
  }
  const file = readPolicy(path);
  const { text, result } = file;
  if (!result.ok) {
    printMistakes(call, file);
    return undefined;
  }
  if (text.length > MAX_RUN_POLICY_CHARS) {
    throw new SublError('usage', `\`${path}\` has more than ${MAX_RUN_POLICY_CHARS} characters`, {
      help: 'a policy of a run only narrows that of the home: put there what is for all runs',
    });
  }
  return { text, format: formatOf(path, text), hash: result.snapshot.policy_hash };
}

/** As the compiler sees it: by the file's name, else by its first character. */
function formatOf(path: string, text: string): 'yaml' | 'json' {
  if (path.endsWith('.json')) return 'json';
  return !/\.ya?ml$/.test(path) && text.trimStart().startsWith('{') ? 'json' : 'yaml';
}
