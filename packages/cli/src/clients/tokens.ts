import { redact } from '@subluminal/core-types';
import { escapeText } from '../output/escape.js';
import type { ServerEntry } from './client.js';

/**
 * The names of variables whose value is a secret that stands in the file itself, and not one that the client
 * takes from elsewhere (`${GITHUB_TOKEN}`, `${input:token}`).
 */
export function tokensIn(variables: Iterable<readonly [string, unknown]>): readonly string[] {
  return [...variables].flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' && !/\$\{|^\$\w+$|^%\w+%$/.test(value) && isSecret(name, value)
      ? [name]
      : [],
  );
}

function isSecret(name: string, value: string): boolean {
  return redact(JSON.stringify({ [name]: value })).count > 0;
}

/** Variables of a server that are named. */
const MOST_SHOWN = 3;

/** The name under which the secret of a variable is kept, as it is proposed. */
export function secretNamed(variable: string): string {
  return variable.toLowerCase().replace(/[^a-z0-9_.-]/g, '_');
}

/** Says of a server which secrets stand in its client's file, and how they get out of it. No value. */
export function tokenLine({ name, tokens: [first, ...others] }: ServerEntry): string | undefined {
  if (first === undefined) return undefined;
  const [server, variable] = [escapeText(name), escapeText(first)];
  const secret = secretNamed(first);
  const shown = [variable, ...others.slice(0, MOST_SHOWN - 1).map((one) => escapeText(one))].join(', ');
  const left = others.length - MOST_SHOWN + 1;
  const all = left > 0 ? `${shown} and ${left} more` : shown;
  return (
    `\`${server}\` has ${all} in a file that the agent can read: \`sub secrets add ${secret}\`, ` +
    `\`sub secrets bind ${server} --as ${variable} --ref ${secret}\``
  );
}
