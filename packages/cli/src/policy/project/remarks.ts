import { textAt, type JsonObject, shellWord } from '@subluminal/core-types';
import { escapeText } from '../../output/escape.js';

const STILL = 'the text that was trusted stays in force';

/** The words for each state of a project's policy file, and the verb that is next: none that widens. */
const SAID: ReadonlyMap<string, readonly [what: string, verb: string]> = new Map([
  ['untrusted', ['has no effect until it is trusted', 'trust']],
  ['changed', [`has changed: ${STILL}`, 'trust']],
  ['removed', [`is gone: ${STILL}`, 'show --projects']],
  ['unreadable', [`cannot be read: ${STILL}`, 'trust']],
]);

/** A sentence for each policy file of a project that is not in force as it stands. */
export function projectRemarks(found: readonly JsonObject[]): readonly string[] {
  return found.flatMap((one) => {
    const said = SAID.get(textAt(one, 'state'));
    const file = textAt(one, 'file');
    if (said === undefined || file === '') return [];
    const [what, verb] = said;
    const next = verb === 'trust' ? `trust ${escapeText(shellWord(folderOf(file)))}` : verb;
    return [`\`${escapeText(file)}\` ${what} (\`sub policy ${next}\`)`];
  });
}

function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/')) || '/';
}
