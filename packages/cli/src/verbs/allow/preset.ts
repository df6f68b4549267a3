import { listAt, numberAt, SublError, textAt, type JsonObject } from '@subluminal/core-types';
import type { Command } from 'commander';
import { PRESETS, type Preset } from '../../allow/presets.js';
import { askOperator } from '../../gateway/door.js';
import { assertOutsideRun } from '../../gateway/outside-run.js';
import { escapeText } from '../../output/escape.js';
import { showList } from '../../output/listing.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { nearest } from '../../program/nearest.js';
import { subVerb, type Does } from '../../program/verb.js';

const PORT = 443;
const COLUMNS = [
  { title: 'PRESET' },
  { title: 'HOSTS', max: 90, min: 20 },
  { title: 'FOR', max: 80, min: 16, spare: 1 },
] as const;

/** `sub allow preset [NAME…]`: adds the hosts of well-known services, or lists them. */
export function definePreset(group: Command, does: Does): void {
  does(
    subVerb(group, 'preset', 'add the hosts of well-known services; lists them without a name').argument(
      '[name...]',
      'such as `npm`',
    ),
    {},
    async (call) => {
      if (call.args.length === 0) {
        showList(call.output, PRESETS, {
          json: (preset) => preset,
          none: 'there are no presets',
          columns: COLUMNS,
          row: ({ name, hosts, about }) => [
            { text: name },
            { text: hosts.join(' ') },
            { text: about, tone: 'dim' },
          ],
        });
        if (!call.output.json) call.output.note('`sub allow preset NAME` adds the hosts of one');
        return EXIT.done;
      }
      const presets = call.args.map(presetNamed);
      await assertOutsideRun(call);
      for (const preset of presets) await add(call, preset);
      return EXIT.done;
    },
  );
}

function presetNamed(name: string): Preset {
  const preset = PRESETS.find((one) => one.name === name);
  if (preset !== undefined) return preset;
  const [near] = nearest(
    PRESETS.map((one) => one.name),
    name,
  );
  throw new SublError('usage', `there is no preset \`${name}\``, {
    help: near === undefined ? '`sub allow preset` lists them' : `did you mean \`${near}\`?`,
  });
}

async function add({ home, session, output }: Call, { name, hosts, source }: Preset): Promise<void> {
  const entries = listAt(await askOperator(home, session.now, 'allow.list'), 'entries');
  const missing = hosts.filter((host) => !entries.some((entry) => isListed(entry, host)));
  for (const host of missing)
    await askOperator(home, session.now, 'allow.add', {
      host,
      port: PORT,
      protocol: 'https',
      service_name: name,
      allow_private: false,
    });
  if (output.json) {
    output.value({
      preset: name,
      added: [...missing],
      listed: hosts.filter((host) => !missing.includes(host)),
      source,
    });
    return;
  }
  for (const host of hosts)
    output.line(
      missing.includes(host)
        ? `allowed \`${escapeText(host)}:${PORT}\``
        : `${output.paint('dim', 'listed already')} \`${escapeText(host)}:${PORT}\``,
    );
}

function isListed(entry: JsonObject, host: string): boolean {
  const [port, protocol] = [numberAt(entry, 'port'), textAt(entry, 'protocol')];
  return (
    textAt(entry, 'domain') === host &&
    textAt(entry, 'is_active') === 'true' &&
    (port === undefined || port === PORT) &&
    (protocol === '' || protocol === 'https')
  );
}
