import { existsSync } from 'node:fs';
import { SublError } from '@subluminal/core-types';
import { FIRST_POLICY, writeProfile } from '@subluminal/policy';
import { worldPlaces, type WorldPlaces } from '@subluminal/records';
import { readConfig } from '../config/file.js';
import { readFileText } from '../files/replace-text.js';
import { Answers } from '../output/ask.js';
import { counted } from '../output/counted.js';
import { escapeText } from '../output/escape.js';
import { propose } from '../policy/edit/propose.js';
import { readText } from '../policy/read-text.js';
import type { Call } from '../program/call.js';
import { EXIT } from '../program/exit/codes.js';
import { withRecord } from '../record/open.js';

type Given = Call<{ readonly yes: boolean }>;

/**
 * Proposes a profile of the server that `call` names to the operator's policy, of the hosts that the record
 * says its worlds reached. Throws `not_found` if it says of none.
 */
export async function narrowed(call: Given): Promise<number> {
  const [server = ''] = call.args;
  const seen = await withRecord(call.home, (reader) => worldPlaces(reader, server));
  if (seen.worlds === 0)
    throw new SublError('not_found', `no world of a server \`${server}\` is in the record`, {
      help: `\`sub config set servers.${server}.world true\` has it live in one, from its next start on; use it, then come back`,
    });
  return write(call, server, seen);
}

function write(call: Given, server: string, seen: WorldPlaces): Promise<number> {
  const { home, output } = call;
  const before = existsSync(home.policy) ? readFileText(home.policy) : undefined;
  const hosts = [...seen.reached.keys()].toSorted();
  const result = writeProfile(before?.text ?? FIRST_POLICY, { server, hosts }, { filename: home.policy });
  if (!result.ok)
    throw new SublError('failed', result.message, result.help === undefined ? {} : { help: result.help });
  const json = {
    server,
    profile: result.profile,
    worlds: seen.worlds,
    allowed: hosts,
    added: result.added,
    refused: [...seen.refused].toSorted(),
    whole: seen.isWhole,
  };
  if (result.isSame) {
    if (output.json) output.value({ written: false, file: home.policy, ...json, diff: '' });
    else output.line(`the profile \`${result.profile}\` has all that was seen: nothing to write`);
    return Promise.resolve(EXIT.done);
  }
  const withheld = mustBeSigned(call)
    ? 'nothing was written: this gateway takes signed policies alone; put it into the text that is signed'
    : undefined;
  const edit = { named: home.policy, before, text: result.text, notes: notes(server, seen), json, withheld };
  return propose(call, edit, new Answers(process.stdin));
}

function notes(server: string, { worlds, reached, refused, isWhole }: WorldPlaces): readonly string[] {
  const name = `\`${escapeText(server)}\``;
  return [
    `${counted(worlds, 'world')} of ${name} reached ${counted(reached.size, 'host')}: from the next connection on they reach no other`,
    ...(refused.size === 0
      ? []
      : [`refused, and not written: ${[...refused].toSorted().map(escapeText).join(', ')}`]),
    ...(isWhole ? [] : ['older entries of the record were not looked at']),
    'it narrows the allowlist, and lets nothing more through',
  ];
}

/** Whether the gateway takes signed policies alone, which is a setting of its own. */
function mustBeSigned({ home }: Given): boolean {
  if (!existsSync(home.config)) return false;
  return readConfig(home.config, readText(home.config)).config.policy.accept === 'signed';
}
