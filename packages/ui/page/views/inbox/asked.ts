import { textAt } from '@subluminal/core-types/portable';
import type { Card } from '../../../src/protocol/index.js';
import { plainText } from '../../parts/plain-text.js';

/** The tool or the action that a card asks about. */
export function titleOf({ kind, id, facts }: Pick<Card, 'facts' | 'id' | 'kind'>): string {
  switch (kind) {
    case 'question':
    case 'hint':
      return `${plainText(textAt(facts, 'server_name'), 60)}.${plainText(textAt(facts, 'tool_name'), 80)}`;
    case 'action':
      return plainText(textAt(facts, 'action') || id, 80);
    case 'tool':
      return `${plainText(id, 120)} has another definition than was approved`;
  }
}

/** The target of it, as the record has it; empty where nothing is known. */
export function objectOf({ facts }: Pick<Card, 'facts'>): string {
  return textAt(facts, 'object') || textAt(facts, 'summary');
}
