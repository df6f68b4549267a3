import type { JsonObject } from '@subluminal/core-types';
import type { PolicyIdentity } from '../match/call.js';
import { byPlace, type Finding, type Path, pathText, type PolicyProblem } from '../problem/problem.js';
import { plainKey } from '../source/keys.js';
import type { Places } from '../source/places.js';
import { formatOf, readSource } from '../source/read.js';
import { isTreeMap, type Tree } from '../source/tree.js';
import { type CaseCall, type CaseEnd, type CaseFileResult, type PolicyCase, toolKey } from './case-file.js';
import { Fields, has } from './fields.js';
import { readExpected } from './read-expected.js';
import { ANYBODY, readIdentity } from './read-identity.js';

const MAX_PROBLEMS = 200;
/** Calls of one case, repetitions counted. */
const MAX_CALLS = 100_000;
const DAY_MS = 86_400_000;
/** When a case begins that does not say. */
const NOON = Date.UTC(2026, 0, 1, 12);

const CALL_KEYS = [
  'call',
  'args',
  'uninspected',
  'raised',
  'times',
  'at',
  'after_ms',
  'end',
  'expect',
] as const;
/** Reads a file of cases: every mistake at once, each with its place. Never throws on any text. */
export function readCases(source: string, filename?: string): CaseFileResult {
  const read = readSource(source, formatOf(source, 'auto', filename));
  if (!read.ok) return read;
  const reader = new CaseReader(read.places);
  const file = reader.file(read.tree);
  const findings = [...read.findings, ...reader.fields.findings];
  return findings.length === 0 ? { ok: true, file } : { ok: false, problems: located(findings, read.places) };
}

type CaseFile = Extract<CaseFileResult, { ok: true }>['file'];

class CaseReader {
  readonly fields = new Fields();
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  file(tree: Tree): CaseFile {
    const map = this.fields.map(tree, [], ['policy', 'identity', 'tools', 'cases']);
    const policy = has(map, 'policy') ? this.fields.text(map['policy'], ['policy']) : null;
    const identity = readIdentity(this.fields, map['identity'], ['identity'], ANYBODY);
    const schemas = has(map, 'tools') ? this.#schemas(map['tools']) : new Map<string, JsonObject>();
    if (!has(map, 'cases')) this.fields.missing([], 'cases', 'add it; it is a list of cases');
    const list = has(map, 'cases') ? this.fields.list(map['cases'], ['cases'], 'cases') : [];
    const cases = list.map((item, at) => this.#case(item, ['cases', at], identity));
    const names = new Set<string>();
    for (const [at, { name }] of cases.entries()) {
      if (name !== '' && names.has(name)) {
        this.fields.wrong(['cases', at, 'name'], 'is the name of a case above', 'give each case its own');
      }
      names.add(name);
    }
    return { policy, inputSchemas: schemas, cases };
  }

  #schemas(tree: Tree | undefined): ReadonlyMap<string, JsonObject> {
    const schemas = new Map<string, JsonObject>();
    if (!isTreeMap(tree)) {
      this.fields.wrong(
        ['tools'],
        'is not a mapping',
        'write `server/tool: {…}` with the input schema of the tool',
      );
      return schemas;
    }
    for (const [key, value] of Object.entries(tree)) {
      const [server, tool] = this.#names(plainKey(key), ['tools', key]);
      schemas.set(toolKey(server, tool), this.fields.object(value, ['tools', key]));
    }
    return schemas;
  }

  #case(tree: Tree, path: Path, identity: PolicyIdentity): PolicyCase {
    const map = this.fields.map(tree, path, ['name', 'identity', 'at', 'calls']);
    for (const key of ['name', 'calls']) {
      if (isTreeMap(tree) && !has(map, key))
        this.fields.missing(path, key, 'add it; a case has a name and its calls');
    }
    const calls = has(map, 'calls') ? this.fields.list(map['calls'], [...path, 'calls'], 'calls') : [];
    const read = calls.map((item, at) => this.#call(item, [...path, 'calls', at]));
    if (read.reduce((sum, { times }) => sum + times, 0) > MAX_CALLS) {
      this.fields.wrong([...path, 'calls'], 'asks for too many calls', `a case has at most ${MAX_CALLS}`);
    }
    return {
      name: has(map, 'name') ? this.fields.text(map['name'], [...path, 'name']) : '',
      line: this.#places.find(path, 'value').line,
      identity: readIdentity(this.fields, map['identity'], [...path, 'identity'], identity),
      at: has(map, 'at') ? this.fields.moment(map['at'], [...path, 'at']) : NOON,
      calls: read,
    };
  }

  #call(tree: Tree, path: Path): CaseCall {
    const { fields } = this;
    const map = fields.map(tree, path, CALL_KEYS);
    for (const key of ['call', 'expect']) {
      if (isTreeMap(tree) && !has(map, key))
        fields.missing(path, key, 'add it; a call has `call` and `expect`');
    }
    const [server_name, tool_name] = has(map, 'call') ? this.#tool(map['call'], [...path, 'call']) : ['', ''];
    if (has(map, 'at') && has(map, 'after_ms')) {
      fields.wrong([...path, 'after_ms'], 'stands beside `at`', 'keep one of the two');
    }
    if (has(map, 'args') && has(map, 'uninspected')) {
      fields.wrong(
        [...path, 'uninspected'],
        'stands beside `args`',
        'keep one: the values of such arguments are not known',
      );
    }
    const optional = <Value>(
      key: string,
      read: (value: Tree | undefined, at: Path) => Value,
      absent: Value,
    ): Value => (has(map, key) ? read(map[key], [...path, key]) : absent);
    return {
      line: this.#places.find(path, 'value').line,
      server_name,
      tool_name,
      args: optional('args', (value, at) => fields.object(value, at), {}),
      uninspected: optional<readonly string[] | undefined>(
        'uninspected',
        (value, at) => fields.texts(value, at),
        undefined,
      ),
      raised: optional<readonly string[]>('raised', (value, at) => fields.texts(value, at), []),
      times: optional('times', (value, at) => fields.whole(value, at, MAX_CALLS), 1),
      when: has(map, 'at')
        ? { at: fields.moment(map['at'], [...path, 'at']) }
        : { afterMs: optional('after_ms', (value, at) => fields.whole(value, at, 366 * DAY_MS), 0) },
      end: optional<CaseEnd>('end', (value, at) => this.#end(value, at), { status: 'OK', latency_ms: 0 }),
      expect: readExpected(fields, map['expect'], [...path, 'expect']),
    };
  }

  #tool(value: Tree | undefined, path: Path): readonly [string, string] {
    if (typeof value === 'string') return this.#names(value, path);
    const [server, tool, ...more] = this.fields.texts(value, path);
    if (server !== undefined && tool !== undefined && more.length === 0) return [server, tool];
    this.fields.wrong(path, 'does not name a tool', TOOL_HELP);
    return ['', ''];
  }

  #names(text: string, path: Path): readonly [string, string] {
    const at = text.indexOf('/');
    if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
    this.fields.wrong(path, 'does not name a tool', TOOL_HELP);
    return ['', ''];
  }

  #end(value: Tree | undefined, path: Path): CaseEnd {
    const map = this.fields.map(value, path, ['status', 'latency_ms']);
    const statuses = ['OK', 'ERROR', 'TIMEOUT', 'CANCELLED'] as const;
    return {
      status: has(map, 'status') ? this.fields.word(map['status'], [...path, 'status'], statuses) : 'OK',
      latency_ms: has(map, 'latency_ms')
        ? this.fields.whole(map['latency_ms'], [...path, 'latency_ms'], DAY_MS)
        : 0,
    };
  }
}

const TOOL_HELP = 'write `server/tool`, or `["server", "tool"]` where the server has a `/` in its name';

function located(findings: readonly Finding[], places: Places): readonly PolicyProblem[] {
  return findings
    .map(({ code, message, path, at, help }): PolicyProblem => {
      const text = pathText(path.map((step) => (typeof step === 'number' ? step : plainKey(step))));
      const place = places.find(path, at);
      return {
        severity: 'error',
        code,
        message,
        ...place,
        path: text,
        ...(help === undefined ? {} : { help }),
      };
    })
    .toSorted(byPlace)
    .slice(0, MAX_PROBLEMS);
}
