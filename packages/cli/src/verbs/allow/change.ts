import { listAt, numberAt, objectAt, SublError, textAt } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import type { Call } from '../../program/call.js';
import { subVerb, takesId, type Does } from '../../program/verb.js';
import { parseDestination } from './destination.js';

const ADVICE = { not_found: '`sub allow list` shows the entries' } as const;

const DONE = { remove: 'removed', deactivate: 'deactivated' } as const;

/** `sub allow remove ID|HOST` and `sub allow deactivate ID|HOST`. */
export function defineChange(group: Command, does: Does, name: keyof typeof DONE, summary: string): void {
  does(
    takesId(subVerb(group, name, summary), '<id|host[:port]>', 'as `sub allow list` shows it'),
    {},
    async (call) => {
      await assertOutsideRun(call);
      const id = await idOf(call, call.id(0, 'id'));
      const data = await askOperator(call.home, call.session.now, `allow.${name}`, { id }, ADVICE);
      const entry = objectAt(data, 'entry');
      if (call.output.json) call.output.value(entry);
      else call.output.line(`${DONE[name]} \`${escapeText(textAt(entry, 'domain'))}\``);
      return EXIT.done;
    },
  );
}

/** The entry that a person names, by its id or by its host. Throws `usage` where the host has several. */
async function idOf(call: Call, named: string): Promise<string> {
  const entries = listAt(await askOperator(call.home, call.session.now, 'allow.list'), 'entries');
  if (entries.some((entry) => textAt(entry, 'id') === named)) return named;
  const { host, port } = parseDestination(named);
  const domain = host.replaceAll(/^\[|\]$/g, '').toLowerCase();
  const found = entries.filter(
    (entry) => textAt(entry, 'domain') === domain && (port === undefined || numberAt(entry, 'port') === port),
  );
  if (found.length < 2) return textAt(found[0] ?? null, 'id') || named;
  const told = found.map((entry) => {
    const [at, protocol] = [textAt(entry, 'port') || 'any', textAt(entry, 'protocol') || 'any'];
    return `\`${textAt(entry, 'id')}\` (port ${at}, protocol ${protocol})`;
  });
  throw new SublError('usage', `\`${named}\` has ${found.length} entries`, {
    help: `name one by its id: ${told.join(', ')}`,
  });
}
