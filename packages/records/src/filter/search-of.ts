import { isSublError, textAt, WIDENING_ACTIONS } from '@subluminal/core-types';
import { compileGlob } from '@subluminal/policy';
import { findRun } from '../find.js';
import { flagsOf } from '../flags.js';
import { destinationOf } from '../connections/destination.js';
import { commandTest, hostTest, objectTest, pathTest, type ObjectSource } from '../objects/tests.js';
import { projectTest, textTest } from '../objects/tests-of-text.js';
import { actionOf, factsOf, statusOf, toolOf, wasRefused, type CallRecord } from '../record.js';
import { bothSearches, type RecordTest, type Search } from '../search.js';
import { decisionOf, decisionsNamed, hasEnded, statusesNamed, type Decided } from '../words.js';
import { boundOf, MEASURES } from './measure.js';
import { momentOf } from './moment.js';
import { parseFilter, type FilterTerm } from './parse.js';

/** A filter as a search, or its first mistake and the place of it. */
export type FilterSearch =
  | { readonly ok: true; readonly search: Search }
  | { readonly ok: false; readonly message: string; readonly at: number };

/** The kinds of records: calls of tools, connections and names, all other actions. */
export const RECORD_KINDS = ['call', 'net', 'action'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** The kind of a record. */
export function kindOf(record: CallRecord): RecordKind {
  if (toolOf(record) !== null) return 'call';
  return actionOf(record)?.startsWith('net.') === true ? 'net' : 'action';
}

/** Reads a filter for a ledger. Ages count from `now`, epoch ms. */
export function filterSearch(text: string, source: ObjectSource, now: number): FilterSearch {
  const parsed = parseFilter(text);
  if (!parsed.ok) return parsed;
  let search: Search = {};
  const tests: RecordTest[] = [];
  for (const term of parsed.terms) {
    const read = readTerm(term, source, now);
    if ('message' in read) return { ok: false, message: read.message, at: term.at };
    search = bothSearches(search, read.search ?? {});
    if (read.test !== undefined) tests.push(term.not ? negated(read.test) : read.test);
  }
  return { ok: true, search: tests.length === 0 ? search : { ...search, tests } };
}

/** A term as a test, and as the part of a search that an index may know. */
type ReadTerm = { readonly test?: RecordTest; readonly search?: Search } | { readonly message: string };

/** Whether one value fits a record; a text for a value that cannot be read. */
type ValueTest = (value: string) => RecordTest | string;

function readTerm(term: FilterTerm, source: ObjectSource, now: number): ReadTerm {
  const { key, not, values } = term;
  const [value = ''] = values;
  if (key === 'since' || key === 'until') {
    const moment = momentOf(value, now);
    if (moment === null || values.length > 1 || not)
      return { message: `\`${key}:\` takes one moment: \`2h\`, \`7d\`, \`2026-11-27\`, or RFC 3339` };
    return { search: key === 'since' ? { sinceMs: moment } : { untilMs: moment } };
  }
  const tests: RecordTest[] = [];
  for (const one of values) {
    const test = valueTest(key, source)(one);
    if (typeof test === 'string') return { message: test };
    tests.push(test);
  }
  const search = not || values.length > 1 ? {} : indexed(key, value, source);
  return { test: anyOf(tests), search };
}

/** The part that narrows what is looked through; the test holds beside it. */
function indexed(key: FilterTerm['key'], value: string, { reader }: ObjectSource): Search {
  if (key === 'action' && !isGlob(value)) return { action: value };
  if (key === 'request') return { requestId: value };
  if (key === 'is' && value === 'flagged') return { flagged: true };
  if (key === 'decision') {
    const decisions = decisionsNamed(value);
    return decisions === undefined ? {} : { decisions };
  }
  if (key !== 'run') return {};
  try {
    return { runId: findRun(reader, value) };
  } catch (error) {
    // No run of that name, or several: the test says which records fit.
    if (isSublError(error)) return {};
    throw error;
  }
}

function valueTest(key: FilterTerm['key'], source: ObjectSource): ValueTest {
  switch (key) {
    case 'action':
      return globbed((record) => actionOf(record) ?? '');
    case 'agent':
      return (value) => (_record, start) => yes(textAt(start?.data ?? null, 'agent_id') === value);
    case 'any':
      return anyText;
    case 'args':
      return (value) => (record) => yes(textAt(record.first.data, 'call', 'args_hash').startsWith(value));
    case 'client':
      return (value) => (_record, start) => yes(textAt(start?.data ?? null, 'client') === value);
    case 'command':
      return (value) => (isGlobBad(value) ? bad(value) : commandTest(source, value));
    case 'decision':
      return decisionTest;
    case 'host':
      return (value) => (isGlobBad(value) ? bad(value) : hostTest(source, value));
    case 'is':
      return (value) => isTest(value, source);
    case 'kind':
      return (value) =>
        RECORD_KINDS.some((one) => one === value)
          ? (record) => yes(kindOf(record) === value)
          : `\`${value}\` is no kind: ${RECORD_KINDS.join(', ')}`;
    case 'object':
      return objectTest;
    case 'path':
      return (value) => (isGlobBad(value) ? bad(value) : pathTest(source, value));
    case 'project':
      return (value) => projectTest([value]);
    case 'request':
      return (value) => (record) => yes(textAt(record.first.data, 'req', 'id') === value);
    case 'rule':
      return globbed((record) => factsOf(record).ruleId);
    case 'run':
      return (value) =>
        ({ first: { runId } }) =>
          yes(runId !== null && (runId.startsWith(value) || runId.endsWith(value)));
    case 'server':
      return globbed((record) => toolOf(record)?.[0] ?? '');
    case 'size':
    case 'took':
      return measureTest(key);
    case 'status':
      return statusTest;
    case 'text':
      return (value) => textTest(source.reader, value);
    case 'tool':
      return globbed((record) => toolOf(record)?.[1] ?? '');
    case 'since':
    case 'until':
      return (value) => bad(value);
  }
}

function decisionTest(value: string): RecordTest | string {
  const wanted: ReadonlySet<Decided> | undefined = decisionsNamed(value);
  if (wanted === undefined) return `\`${value}\` is no decision`;
  return (record) => {
    const decision = decisionOf(record);
    return yes(decision !== null && wanted.has(decision));
  };
}

function statusTest(value: string): RecordTest | string {
  const ended = statusesNamed(value);
  return ended === undefined ? `\`${value}\` is no status` : (record) => yes(hasEnded(record, ended));
}

/** A call that was refused took no time and has no size, as in every list. */
function measureTest(key: keyof typeof MEASURES): ValueTest {
  return (value) => {
    const isWithin = boundOf(key, value);
    if (isWithin === null) return `\`${key}:\` takes a bound with its unit, such as ${MEASURES[key]}`;
    return (record) => {
      const { bytesOut, latencyMs } = factsOf(record);
      const measured = key === 'took' ? latencyMs : bytesOut;
      return yes(measured !== undefined && !wasRefused(record) && isWithin(measured));
    };
  };
}

/** Words of `is:`. */
export const IS_WORDS = ['refused', 'flagged', 'open', 'widening'] as const;

function isTest(value: string, { reader }: ObjectSource): RecordTest | string {
  switch (value) {
    case 'refused':
      return (record) => yes(wasRefused(record));
    case 'flagged':
      return (record) => yes(flagsOf(reader, record).length > 0);
    case 'open':
      return (record) => yes(statusOf(record) === null && !wasRefused(record));
    case 'widening':
      return (record) => yes(WIDENING_ACTIONS.has(actionOf(record) ?? '') && !wasRefused(record));
    default:
      return `\`is:\` takes ${IS_WORDS.join(', ')}`;
  }
}

/** In any of the names by which a record is shown, whatever the case. */
function anyText(value: string): RecordTest {
  const wanted = value.toLowerCase();
  return (record) => {
    const { ruleId, reason } = factsOf(record);
    const [server = '', tool = ''] = toolOf(record) ?? [];
    const names = [
      server,
      tool,
      `${server}.${tool}`,
      actionOf(record) ?? '',
      record.object ?? '',
      ruleId,
      reason,
      destinationOf(record.first),
    ];
    return yes(names.some((name) => name.toLowerCase().includes(wanted)));
  };
}

function globbed(nameOf: (record: CallRecord) => string): ValueTest {
  return (value) => {
    if (!isGlob(value)) return (record) => yes(nameOf(record) === value);
    const compiled = compileGlob(value);
    if (!compiled.ok) return bad(value);
    return (record) => yes(nameOf(record) !== '' && compiled.test(nameOf(record)));
  };
}

function isGlob(text: string): boolean {
  return /[*?[\]{}\\]/.test(text);
}

function isGlobBad(text: string): boolean {
  return !compileGlob(text).ok;
}

function bad(value: string): string {
  return `\`${value}\` cannot be read`;
}

function yes(fits: boolean): 'yes' | 'no' {
  return fits ? 'yes' : 'no';
}

function anyOf(tests: readonly RecordTest[]): RecordTest {
  const [only] = tests;
  if (only !== undefined && tests.length === 1) return only;
  return (record, start) => {
    const told = tests.map((test) => test(record, start));
    if (told.includes('yes')) return 'yes';
    return told.includes('unknown') ? 'unknown' : 'no';
  };
}

function negated(test: RecordTest): RecordTest {
  return (record, start) => {
    const told = test(record, start);
    return told === 'unknown' ? told : told === 'yes' ? 'no' : 'yes';
  };
}
