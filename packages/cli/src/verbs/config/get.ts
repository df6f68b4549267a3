import { ANY_NAME, configKeys, redact, type JsonValue } from '@subluminal/core-types';
import type { Command } from 'commander';
import { readConfig } from '../../config/file.js';
import { keyOf, settingPath } from '../../config/key.js';
import { configDifference } from '../../gateway/config-text.js';
import { askOperator } from '../../gateway/door.js';
import { readText } from '../../home/settings.js';
import { escapeText } from '../../output/escape.js';
import { showList } from '../../output/listing.js';
import { attempted } from '../../program/attempt.js';
import type { Call } from '../../program/call.js';
import { EXIT } from '../../program/exit/codes.js';
import { subVerb, type Does } from '../../program/verb.js';

const COLUMNS = [{ title: 'SETTING' }, { title: 'VALUE', max: 60, min: 12 }, { title: 'FROM' }] as const;

/** One setting as it is. */
interface Setting {
  readonly key: string;
  /** Null if it has none. */
  readonly value: JsonValue;
  readonly from: 'file' | 'default' | 'none';
}

/** `sub config get [KEY]`. */
export function defineGet(group: Command, does: Does): void {
  does(
    subVerb(group, 'get', 'print one setting, or list all of them').argument('[key]', 'as `egress.mode`'),
    {},
    async (call) => {
      const [named] = call.args;
      const path = named === undefined ? undefined : settingPath(named);
      const { config, table } = readConfig(call.home.config, readText(call.home.config) ?? '');
      if (path !== undefined) {
        const setting = settingAt(path, config, table);
        if (call.output.json) call.output.value(setting);
        else if (setting.value === null)
          call.output.note(`\`${setting.key}\` is not set, and has no default`);
        else call.output.line(escapeText(valueText(setting.value)));
      } else
        showList(call.output, settings(config, table), {
          json: (one) => one,
          none: 'there are no settings',
          columns: COLUMNS,
          row: ({ key, value, from }) => [
            { text: key },
            { text: value === null ? '' : valueText(value) },
            { text: from === 'none' ? '' : from, tone: from === 'file' ? 'good' : 'dim' },
          ],
        });
      await noteDifference(call);
      return EXIT.done;
    },
  );
}

/** The file is not always what a running gateway goes by. */
async function noteDifference({ home, session, output }: Call): Promise<void> {
  const status = await attempted(askOperator(home, session.now, 'gateway.status'));
  const difference = status === undefined ? undefined : configDifference(status);
  if (difference !== undefined)
    output.note(`${escapeText(difference.message)}; ${escapeText(difference.help)}`);
}

function settings(config: object, table: object): readonly Setting[] {
  const paths = configKeys().flatMap((path) => pathsOf(path, config));
  return paths.map((path) => settingAt(path, config, table));
}

/** The paths that a name of people's choice stands for here; none if there is no such name. */
function pathsOf(path: readonly string[], config: object): readonly (readonly string[])[] {
  const at = path.indexOf(ANY_NAME);
  if (at === -1) return [path];
  const names = Object.keys(Object(valueAt(config, path.slice(0, at))) as object);
  return names.flatMap((name) => pathsOf([...path.slice(0, at), name, ...path.slice(at + 1)], config));
}

function settingAt(path: readonly string[], config: object, table: object): Setting {
  const value = valueAt(config, path);
  const from = valueAt(table, path) !== undefined ? 'file' : value === undefined ? 'none' : 'default';
  return { key: keyOf(path), value: (value ?? null) as JsonValue, from };
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path)
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
  return at;
}

/** A text as it is, and everything else as TOML and JSON both have it. An address may hold a token. */
function valueText(value: JsonValue): string {
  return redact(typeof value === 'string' ? value : JSON.stringify(value)).text;
}
