import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ActionDefinition, ACTIONS } from './actions.js';

const SECURITY = readFileSync(new URL('../../../../SECURITY.md', import.meta.url), 'utf8');
const ROW = /^\| (`[^|]*`) \| ([^|]*) \| [^|]+ \|$/gm;

/** The table "Whose word an entry is": each action with who may ask for it. */
function told(): string[] {
  const [, section = ''] = SECURITY.split('## Whose word an entry is');
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(ROW)].flatMap(([, actions = '', keys = '']) =>
    actions.split(', ').map((action) => `${action.replaceAll('`', '')}: ${keys}`),
  );
}

describe('SECURITY.md', () => {
  it('says of each action that is open to others than the operator whose word its entries are, and who may ask for it', () => {
    const definitions: readonly [string, ActionDefinition][] = Object.entries(ACTIONS);
    const open = definitions
      .map(([name, { permitted }]) => `${name}: ${permitted.join(', ').replace(/^gateway$/, "nobody's key")}`)
      .filter((one) => !one.endsWith(': operator'));
    expect(told().toSorted()).toEqual(open.toSorted());
    expect(told()).toContain("net.end: nobody's key");
  });

  it('opens what is the gateway’s own account to no key', () => {
    const definitions: readonly [string, ActionDefinition][] = Object.entries(ACTIONS);
    const own = definitions.filter(([, { permitted }]) => permitted.includes('gateway'));
    expect(own.map(([name, { permitted }]) => [name, ...permitted])).toEqual([
      ['http.reach', 'gateway'],
      ['net.connect', 'gateway'],
      ['net.end', 'gateway'],
      ['net.name', 'gateway'],
    ]);
  });
});
