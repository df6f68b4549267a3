import type { LedgerReader } from '@subluminal/ledger';
import { compileGlob, pathTest as pathFits } from '@subluminal/policy';
import { hostsInText, type Readings } from '@subluminal/readings';
import { connectionOf } from '../connections/connection.js';
import { changedPaths, layerDecisionOf } from '../layers/decision.js';
import { destinationOf, NAME } from '../connections/destination.js';
import { toolOf, type CallRecord } from '../record.js';
import type { RecordTest } from '../search.js';
import { EXPIRED } from './object.js';
import { readingsOfCall, type PlaceOf } from './readings-of-call.js';

/** The tests on what calls are about read it from the record, with the places of this machine. */
export interface ObjectSource {
  readonly reader: LedgerReader;
  readonly placeOf: PlaceOf;
}

/**
 * Calls that name a file that fits a pattern of paths, or one in a folder that does, and decisions on a layer
 * that has a change of one.
 */
export function pathTest(source: ObjectSource, pattern: string): RecordTest {
  const fits = pathFits({ under: [pattern] }, 'some');
  const calls = ofCalls(source, (readings) =>
    found(
      readings.paths.some((one) => fits(one, readings) === 'yes'),
      readings.unread.path,
    ),
  );
  return (record, start) => {
    const decision = layerDecisionOf(record);
    if (decision === undefined) return calls(record, start);
    const { folder } = decision;
    const { home, tmp } = source.placeOf(folder);
    const readings = { ...NOTHING_READ, place: { home, tmp, project: folder } };
    const { paths, isWhole } = changedPaths(decision);
    const isFound = paths.some((path) => {
      const one = { forms: [`${folder}/${path}`], climbs: [], access: 'write', is_recursive: false } as const;
      return fits(one, readings) === 'yes';
    });
    return isFound ? 'yes' : isWhole ? 'no' : 'unknown';
  };
}

const NOTHING_READ: Omit<Readings, 'place'> = {
  paths: [],
  commands: [],
  hosts: [],
  statements: [],
  unread: { command: null, sql: null, path: null, host: null },
};

/** Calls that run such a command; a program alone is each of its commands. */
export function commandTest(source: ObjectSource, glob: string): RecordTest {
  const fits = globTest(glob);
  return ofCalls(source, ({ commands, unread }) =>
    found(
      commands.some(({ program, argv }) => fits(argv) || fits(program)),
      unread.command,
    ),
  );
}

/** Calls and connections that reach a host. */
export function hostTest(source: ObjectSource, glob: string): RecordTest {
  const fits = globTest(glob.toLowerCase());
  const calls = ofCalls(source, ({ hosts, unread }) => found(hosts.some(fits), unread.host));
  return (record, start) => {
    if (toolOf(record) !== null) return calls(record, start);
    const { first } = record;
    const named = first.tool === NAME ? destinationOf(first) : '';
    const hosts = [connectionOf(record)?.host ?? named, ...hostsInText(destinationOf(first))];
    return hosts.some((host) => host !== '' && fits(host)) ? 'yes' : 'no';
  };
}

/** Calls with a text in their object, whatever its case. */
export function objectTest(text: string): RecordTest {
  const wanted = text.toLowerCase();
  return ({ object }) => {
    if (object === EXPIRED) return 'unknown';
    return object?.toLowerCase().includes(wanted) === true ? 'yes' : 'no';
  };
}

/** Calls of the servers, or of the tools, that a glob names. */
export function nameTest(part: 'server' | 'tool', glob: string): RecordTest {
  const fits = globTest(glob);
  return (record) => {
    const name = toolOf(record)?.[part === 'server' ? 0 : 1];
    return name !== undefined && fits(name) ? 'yes' : 'no';
  };
}

function ofCalls(
  { reader, placeOf }: ObjectSource,
  test: (readings: Readings) => ReturnType<RecordTest>,
): RecordTest {
  return (record: CallRecord, start) => {
    if (toolOf(record) === null) return 'no';
    const readings = readingsOfCall(reader, record, start, placeOf);
    return readings === undefined ? 'unknown' : test(readings);
  };
}

/** A part that was not read may be anything. */
function found(isFound: boolean, unread: string | null): ReturnType<RecordTest> {
  if (isFound) return 'yes';
  return unread === null ? 'no' : 'unknown';
}

function globTest(glob: string): (text: string) => boolean {
  const compiled = compileGlob(glob);
  return compiled.ok ? compiled.test : (text) => text === glob;
}
