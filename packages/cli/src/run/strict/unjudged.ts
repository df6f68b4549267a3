import { textAt, valueAt, type JsonObject } from '@subluminal/core-types';

/** The hook's word that its client made a call that was not judged as it was made; undefined of all else. */
export function unjudged(data: JsonObject): { readonly code: string; readonly reason: string } | undefined {
  if (textAt(data, 'hook', 'message') === 'missing')
    return { code: 'MESSAGE_MISSING', reason: 'it was called, and no message of that passed the gateway' };
  if (valueAt(data, 'facts', 'input_changed') === true)
    return { code: 'INPUT_CHANGED', reason: 'another hook changed its arguments after they were judged' };
  if (valueAt(data, 'facts', 'unguarded_start') === true)
    return { code: 'UNGUARDED_START', reason: 'it was called before its hook could be asked' };
  return undefined;
}
