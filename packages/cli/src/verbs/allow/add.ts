import { objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { EXIT } from '../../program/exit/codes.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { noteNext } from '../../next/note-next.js';
import { escapeText } from '../../output/escape.js';
import { choice, flag, string } from '../../program/flags.js';
import { subVerb, type Does } from '../../program/verb.js';
import { parseDestination } from './destination.js';

const PROTOCOLS = ['http', 'https', 'imap', 'imaps', 'smtp', 'smtps', 'caldav', 'tcp'] as const;

const FLAGS = {
  protocol: choice('<name>', `only this protocol (${PROTOCOLS.join(', ')})`, PROTOCOLS),
  private: flag('let the host resolve to private, loopback or link-local addresses'),
  name: string('<label>', 'a label for people'),
};

/** `sub allow add HOST[:PORT]`. */
export function defineAdd(group: Command, does: Does): void {
  does(
    subVerb(group, 'add', 'let actions, and connections in enforce, reach one host').argument(
      '<host[:port]>',
      'an exact host name; without a port, every port',
    ),
    FLAGS,
    async (call) => {
      await assertOutsideRun(call);
      const destination = parseDestination(call.operand(0, 'host'));
      const protocol = call.flags.protocol;
      const label = call.flags.name;
      const payload = {
        ...destination,
        ...(protocol === undefined ? {} : { protocol }),
        ...(label === undefined ? {} : { service_name: label }),
        allow_private: call.flags.private,
      };
      const answer = await askOperator(call.home, call.session.now, 'allow.add', payload);
      const entry = objectAt(answer, 'entry');
      if (call.output.json) call.output.value(entry);
      else
        call.output.line(`allowed \`${escapeText(nameOf(entry))}\` (id ${escapeText(textAt(entry, 'id'))})`);
      noteNext(call.output, '`sub egress` says whether other places are connected, too');
      return EXIT.done;
    },
  );
}

function nameOf(entry: JsonObject): string {
  const port = textAt(entry, 'port');
  return port === '' ? textAt(entry, 'domain') : `${textAt(entry, 'domain')}:${port}`;
}
