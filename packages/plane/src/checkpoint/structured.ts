import type { JsonObject, JsonValue } from '@subluminal/core-types';
import type { FormFit } from '../event.js';
import type { Mechanism } from './mechanism.js';

/** The form of a reassessment: a call of that tool whose arguments have these fields. */
export interface Form {
  /** The tool by the name that its client has for it. */
  readonly tool: string;
  readonly fields: readonly string[];
}

/**
 * Compares the arguments of a call with the form that is configured: each field has to be a text or a list,
 * and not an empty one. More fields than those do not matter. Undefined for a call of another tool.
 */
export function formFit(
  form: Form | undefined,
  tool: string,
  args: JsonObject | undefined,
): FormFit | undefined {
  if (form?.tool !== tool) return undefined;
  return {
    lacks: args && form.fields.filter((field) => !Object.hasOwn(args, field) || !isFilled(args[field])),
  };
}

/** A call that has the configured form, by its arguments. */
export const structured: Mechanism = {
  name: 'structured',
  evidence: ({ form, status }) =>
    status !== 'failed' && form?.lacks?.length === 0 ? { fits: true } : undefined,
  misfit: ({ form, status }) => (status === 'failed' || form?.lacks?.length === 0 ? undefined : form),
};

function isFilled(value: JsonValue | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((one) => one !== null && !isBlank(one));
  return typeof value === 'string' && !isBlank(value);
}

function isBlank(value: JsonValue): boolean {
  return typeof value === 'string' && value.trim() === '';
}
