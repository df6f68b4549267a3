import { isJsonObject } from '@subluminal/core-types';
import type { Mechanism } from './mechanism.js';

/** The form that a reassessment has: each field is a text, or a list of texts, and none is empty. */
export interface Form {
  /** The tool whose result has it. */
  readonly tool: string;
  readonly fields: Readonly<Record<string, 'list' | 'text'>>;
}

/** A result has the form that was configured: exactly its fields. */
export function structured({ fields, tool }: Form): Mechanism {
  const names = Object.keys(fields).toSorted();
  return {
    name: 'structured',
    evidence: (action) => {
      const { result, status } = action;
      if (action.tool !== tool || status === 'failed' || result === undefined || !isJsonObject(result))
        return undefined;
      if (Object.keys(result).toSorted().join('\n') !== names.join('\n')) return undefined;
      const fits = names.every((name) => isFilled(result[name], fields[name] === 'list'));
      return fits ? { fields: names } : undefined;
    },
  };
}

function isFilled(value: unknown, isList: boolean): boolean {
  const isText = (one: unknown): boolean => typeof one === 'string' && one.trim() !== '';
  return isList ? Array.isArray(value) && value.length > 0 && value.every(isText) : isText(value);
}
