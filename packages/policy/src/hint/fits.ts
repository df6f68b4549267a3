import { ExactNumber, isJsonObject, type JsonObject, type JsonValue, own } from '@subluminal/core-types';

/** How many comparisons one check may take, however hostile the schema is. */
const MAX_STEPS = 20_000;
const MAX_DEPTH = 32;

/** Keywords that say nothing about whether a value fits. */
const SILENT: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'format',
  'contentEncoding',
  'contentMediaType',
]);

interface Check {
  steps: number;
}

/**
 * Whether a value surely fits a JSON Schema. A schema comes from a server: its regular expressions are not
 * run, its references are not followed, and whatever cannot be told (an unknown keyword, too many steps) does
 * not fit.
 */
export function fits(value: JsonValue, schema: JsonObject): boolean {
  return fitsAt(value, schema, { steps: MAX_STEPS }, 0);
}

function fitsAt(value: JsonValue, schema: JsonValue, check: Check, depth: number): boolean {
  if (depth > MAX_DEPTH || !spend(check, 1)) return false;
  if (schema === true) return true;
  if (!isJsonObject(schema)) return false;
  for (const [keyword, argument] of Object.entries(schema)) {
    if (!spend(check, 1)) return false;
    if (SILENT.has(keyword)) continue;
    if (!keywordFits(keyword, value, argument, schema, check, depth)) return false;
  }
  return true;
}

function keywordFits(
  keyword: string,
  value: JsonValue,
  argument: JsonValue,
  schema: JsonObject,
  check: Check,
  depth: number,
): boolean {
  switch (keyword) {
    case 'type':
      return isList(argument)
        ? argument.some((type) => spend(check, 1) && hasType(value, type))
        : hasType(value, argument);
    case 'const':
      return same(value, argument, check);
    case 'enum':
      return isList(argument) && argument.some((one) => same(value, one, check));
    case 'allOf':
      return isList(argument) && argument.every((one) => fitsAt(value, one, check, depth + 1));
    case 'anyOf':
      return isList(argument) && argument.some((one) => fitsAt(value, one, check, depth + 1));
    case 'required':
    case 'properties':
    case 'additionalProperties':
    case 'minProperties':
    case 'maxProperties':
      return !isJsonObject(value) || objectFits(keyword, value, argument, schema, check, depth);
    case 'items':
    case 'minItems':
    case 'maxItems':
      return !isList(value) || listFits(keyword, value, argument, check, depth);
    case 'minLength':
    case 'maxLength':
      return typeof value !== 'string' || lengthFits(keyword, value, argument, check);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      // A number that has two readings does not surely fit.
      if (value instanceof ExactNumber) return false;
      return typeof value !== 'number' || numberFits(keyword, value, argument);
    default:
      return false;
  }
}

function objectFits(
  keyword: string,
  value: JsonObject,
  argument: JsonValue,
  schema: JsonObject,
  check: Check,
  depth: number,
): boolean {
  switch (keyword) {
    case 'required':
      return (
        isList(argument) &&
        argument.every((key) => spend(check, 1) && typeof key === 'string' && Object.hasOwn(value, key))
      );
    case 'properties':
      return (
        isJsonObject(argument) &&
        Object.keys(value).every((key) => {
          const child = own(argument, key);
          return (
            spend(check, 1) && (child === undefined || fitsAt(value[key] ?? null, child, check, depth + 1))
          );
        })
      );
    case 'additionalProperties':
      // With patterns of names it cannot be told which names they take; `patternProperties` itself does not
      // fit either.
      return Object.keys(value).every((key) => {
        const properties = own(schema, 'properties');
        const isNamed =
          properties !== undefined && isJsonObject(properties) && Object.hasOwn(properties, key);
        return spend(check, 1) && (isNamed || fitsAt(value[key] ?? null, argument, check, depth + 1));
      });
    case 'minProperties':
      return typeof argument === 'number' && sizeOf(value, check) >= argument;
    default:
      return typeof argument === 'number' && sizeOf(value, check) <= argument;
  }
}

/** How many members an object has; none fits a number where there are more than there are steps left. */
function sizeOf(value: JsonObject, check: Check): number {
  const { length } = Object.keys(value);
  return spend(check, length) ? length : Number.NaN;
}

function listFits(
  keyword: string,
  value: readonly JsonValue[],
  argument: JsonValue,
  check: Check,
  depth: number,
): boolean {
  if (keyword === 'items')
    return value.every((item) => spend(check, 1) && fitsAt(item, argument, check, depth + 1));
  if (typeof argument !== 'number') return false;
  return keyword === 'minItems' ? value.length >= argument : value.length <= argument;
}

function lengthFits(keyword: string, value: string, argument: JsonValue, check: Check): boolean {
  if (typeof argument !== 'number' || !spend(check, Math.ceil(value.length / 16))) return false;
  // A schema counts characters, and a text may have two units for one.
  let length = value.length;
  for (let at = 0; at < value.length; at += 1) if ((value.charCodeAt(at) & 0xfc00) === 0xdc00) length -= 1;
  return keyword === 'minLength' ? length >= argument : length <= argument;
}

function numberFits(keyword: string, value: number, argument: JsonValue): boolean {
  if (!isNumber(argument)) return false;
  if (keyword === 'minimum') return value >= argument;
  if (keyword === 'maximum') return value <= argument;
  return keyword === 'exclusiveMinimum' ? value > argument : value < argument;
}

function hasType(value: JsonValue, type: JsonValue): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return isList(value);
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'number':
      return isNumber(value);
    case 'integer':
      return isNumber(value) && Number.isInteger(value);
    default:
      return false;
  }
}

function same(a: JsonValue, b: JsonValue, check: Check): boolean {
  if (!spend(check, 1)) return false;
  if (typeof a === 'string') return a === b && spend(check, Math.ceil(a.length / 16));
  if (isList(a)) {
    return isList(b) && a.length === b.length && a.every((item, at) => same(item, b[at] ?? null, check));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return a === b;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || !spend(check, keys.length)) return false;
  return keys.every((key) => Object.hasOwn(b, key) && same(a[key] ?? null, b[key] ?? null, check));
}

function spend(check: Check, steps: number): boolean {
  check.steps -= steps;
  return check.steps >= 0;
}

/** A number that has two readings does not surely fit. */
function isNumber(value: JsonValue): value is number {
  return typeof value === 'number';
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
