import { canonicalize, type JsonObject } from '@subluminal/core-types';
import { escapeJson } from '../../output/escape.js';
import { plainJson } from '../../output/plain-line.js';

/**
 * An event as one line of JSON, canonical but for escapes, which leave its value as it is: of characters that
 * act on a terminal, and of `##`, by which CI systems know commands in what a job prints.
 */
export function eventLine(event: JsonObject): string {
  return `${plainJson(escapeJson(canonicalize(event)))}\n`;
}
