import { isJsonObject, type JsonObject, numberAt, textAt, valueAt } from '@subluminal/core-types';
import type { GuardSays } from '../../protocol/health.js';

type Says = (state: JsonObject) => string;

const PINS: Readonly<Record<string, string>> = {
  hold: 'a tool whose definition changed is held until somebody takes it',
  flag: 'a tool whose definition changed is flagged, and passes',
  off: 'definitions of tools are not watched',
};
const EGRESS: Readonly<Record<string, string>> = {
  enforce: 'connections that pass it reach only hosts of the allowlist',
  observe: 'connections that pass it are recorded, and none is refused',
  off: 'connections do not pass the gateway',
};
const LEAST: Readonly<Record<string, string>> = {
  full: 'a world has to be whole, else it does not begin',
  named: 'a world may be less than whole, if it says so',
  any: 'a world may be whatever this computer can make',
};

const SENTENCES: Readonly<Record<string, Says>> = {
  tools: (state) =>
    `${wordOf(PINS, state, 'pin')}; ${counted(state, 'servers', 'server')}, ${count(state, 'held')} held now`,
  projects: (state) =>
    `${counted(state, 'trusted', 'policy of a project is', 'policies of projects are')} trusted`,
  plane: (state) =>
    valueAt(state, 'follows') === true
      ? 'it follows the windows of work of each agent, and records them'
      : 'it follows no agent',
  hooks: heard,
  http: (state) =>
    valueAt(state, 'listening') === true
      ? `clients and hooks reach it on port ${textAt(state, 'port')}`
      : `it is shut: no hook and no client reaches it by HTTP${textAt(state, 'problem') === '' ? '' : ` (${textAt(state, 'problem')})`}`,
  proxy: (state) =>
    `${wordOf(EGRESS, state, 'mode')}${textAt(state, 'port') === '' ? '' : `; its port is ${textAt(state, 'port')}`}`,
  worlds: (state) => `${wordOf(LEAST, state, 'require')}; ${count(state, 'open')} open now`,
  ui: (state) => `${counted(state, 'sessions', 'session')} of pages on port ${textAt(state, 'port')}`,
};

/** Says of each wing of the gateway in a sentence how it is set now. */
export function guardsSay(guards: JsonObject): readonly GuardSays[] {
  return Object.entries(guards).map(([name, state]) => {
    const says = Object.hasOwn(SENTENCES, name) ? SENTENCES[name] : undefined;
    const is = isJsonObject(state) ? state : {};
    return { name, says: says?.(is) ?? brief(is) };
  });
}

/** Of the paths around the gateway those that its settings tell of. */
export function around(guards: JsonObject): readonly string[] {
  const mode = textAt(guards, 'proxy', 'mode');
  const open = numberAt(guards, 'worlds', 'open') ?? 0;
  const full = numberAt(guards, 'worlds', 'full') ?? 0;
  return [
    mode === ''
      ? 'It does not say whether connections pass it.'
      : mode === 'off'
        ? 'Egress is off: connections of programs pass unseen, unless they are in a world.'
        : `Egress is in the mode ${mode}: programs outside of worlds that heed no proxy variable connect around it, unseen.`,
    `${open} ${open === 1 ? 'world' : 'worlds'} open now${full === 0 ? '' : `, ${full} of them with all of the network`}.`,
  ];
}

function heard(state: JsonObject): string {
  const told = Object.entries(state).map(
    ([client, one]) => `${counted(isJsonObject(one) ? one : {}, 'events', 'event')} of ${client}`,
  );
  return told.length === 0
    ? 'no client was heard by its hooks since the gateway was started'
    : `heard since the gateway was started: ${told.join(', ')}`;
}

function wordOf(words: Readonly<Record<string, string>>, state: JsonObject, key: string): string {
  const value = textAt(state, key);
  const word = Object.hasOwn(words, value) ? words[value] : undefined;
  return word === undefined ? `${key} \`${value}\`` : `${word} (\`${value}\`)`;
}

function count(state: JsonObject, key: string): number {
  return numberAt(state, key) ?? 0;
}

function counted(state: JsonObject, key: string, one: string, many = `${one}s`): string {
  return `${count(state, key)} ${count(state, key) === 1 ? one : many}`;
}

/** One that has no sentence: its words and numbers. */
function brief(state: JsonObject): string {
  const words = Object.entries(state).flatMap(([name, value]) =>
    typeof value === 'object' || value === '' ? [] : [`${name.replaceAll('_', ' ')} ${String(value)}`],
  );
  return words.slice(0, 12).join(', ') || 'it tells nothing of itself';
}
