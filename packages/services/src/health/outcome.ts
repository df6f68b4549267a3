import { type JsonObject, listAt } from '@subluminal/core-types';
import { objectAt, printable, textAt } from '../account/answer.js';

/** The text of an OperationOutcome of FHIR as one line; empty for anything else. */
export function outcomeText(resource: JsonObject): string {
  if (textAt(resource, 'resourceType') !== 'OperationOutcome') return '';
  return listAt(resource, 'issue')
    .slice(0, 3)
    .map((issue) => {
      const details = objectAt(issue, 'details');
      const words =
        (details === undefined ? undefined : textAt(details, 'text')) ?? textAt(issue, 'diagnostics');
      return [textAt(issue, 'severity', 32), textAt(issue, 'code', 64), words]
        .filter((part) => part !== undefined)
        .map(printable)
        .join(' ');
    })
    .join('; ');
}
