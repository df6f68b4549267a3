import { textAt } from '@subluminal/core-types';
import type { Waiting } from './waiting.js';

/** The call, the action or the tool that it is about, in one text. */
export function subjectText({ kind, id, facts }: Waiting): string {
  const of = (key: string): string => textAt(facts, key);
  switch (kind) {
    case 'question':
      return joined(`${of('server_name')}.${of('tool_name')}`, of('object'));
    case 'action':
      return joined(of('action'), of('summary'));
    case 'tool':
      return id;
    case 'hint':
      return joined(`${of('server_name')}.${of('tool_name')}`, textAt(facts, 'object'));
  }
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}
