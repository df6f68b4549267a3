import { ExactNumber, type JsonObject, type JsonValue, listAt, own } from '@subluminal/core-types';
import { objectAt, textAt } from '../account/answer.js';

const LOINC = 'http://loinc.org';
const MAX_COMPONENTS = 64;
const MAX_TEXT = 1024;

/** An Observation of FHIR R4 as one flat object. `null` where the server gave nothing that can be read. */
export function flatObservation(resource: JsonObject): JsonObject {
  const components = listAt(resource, 'component').slice(0, MAX_COMPONENTS).map(measured);
  const period = objectAt(resource, 'effectivePeriod');
  const end = period === undefined ? undefined : textAt(period, 'end', 64);
  return {
    id: textAt(resource, 'id', 64) ?? null,
    ...measured(resource),
    effective:
      textAt(resource, 'effectiveDateTime', 64) ??
      textAt(resource, 'effectiveInstant', 64) ??
      (period === undefined ? undefined : textAt(period, 'start', 64)) ??
      null,
    ...(end === undefined ? {} : { effectiveEnd: end }),
    status: textAt(resource, 'status', 64) ?? null,
    ...(components.length === 0 ? {} : { components }),
  };
}

/** The measured quantity and its value: an observation and its components have both. */
function measured(object: JsonObject): JsonObject {
  const concept = objectAt(object, 'code');
  const quantity = objectAt(object, 'valueQuantity');
  const absent = objectAt(object, 'dataAbsentReason');
  return {
    code: concept === undefined ? null : (codeOf(concept) ?? null),
    display: concept === undefined ? null : (wordsOf(concept) ?? null),
    value: valueOf(object, quantity),
    unit:
      quantity === undefined ? null : (textAt(quantity, 'unit', 64) ?? textAt(quantity, 'code', 64) ?? null),
    ...(absent === undefined ? {} : { absent: wordsOf(absent) ?? 'unknown' }),
  };
}

function codeOf(concept: JsonObject): string | undefined {
  const codings = listAt(concept, 'coding');
  const best = codings.find((coding) => textAt(coding, 'system') === LOINC) ?? codings[0];
  return best === undefined ? undefined : textAt(best, 'code', 128);
}

function wordsOf(concept: JsonObject): string | undefined {
  const displays = listAt(concept, 'coding').map((coding) => textAt(coding, 'display', MAX_TEXT));
  return textAt(concept, 'text', MAX_TEXT) ?? displays.find((display) => display !== undefined);
}

function valueOf(object: JsonObject, quantity: JsonObject | undefined): JsonValue {
  if (quantity !== undefined) {
    const value = own(quantity, 'value');
    const comparator = textAt(quantity, 'comparator', 2);
    if (typeof value !== 'number' && !(value instanceof ExactNumber)) return null;
    // `<5` is not 5.
    if (comparator === undefined) return value;
    return `${comparator}${value instanceof ExactNumber ? value.text : String(value)}`;
  }
  for (const key of ['valueString', 'valueDateTime', 'valueTime']) {
    const text = textAt(object, key, MAX_TEXT);
    if (text !== undefined) return text;
  }
  for (const key of ['valueInteger', 'valueBoolean']) {
    const value = own(object, key);
    if (typeof value === 'number' || typeof value === 'boolean') return value;
  }
  const concept = objectAt(object, 'valueCodeableConcept');
  return concept === undefined ? null : (wordsOf(concept) ?? codeOf(concept) ?? null);
}
