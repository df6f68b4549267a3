import { describe, expect, it } from 'vitest';
import { complaints, SCHEMAS } from './schemas.js';
import { contractNames, leastOf, readVectors, without, withUnknownFields } from './vector-file.js';

it('every file of contract vectors has its schemas, and the other way round', () => {
  expect(contractNames().toSorted()).toEqual(Object.keys(SCHEMAS).toSorted());
});

describe.each(Object.entries(SCHEMAS))('the %s vectors', (name, schemas) => {
  const file = readVectors(name);
  const kinds = Object.entries(file.kinds).map(([kind, facts]) => ({ kind, ...facts }));
  const required = kinds.flatMap(({ kind, required: paths }) => paths.map((path) => ({ kind, path })));
  const schemaOf = (kind: string) => {
    const schema = schemas.get(kind);
    if (schema === undefined) throw new Error(`no schema reads ${kind}`);
    return schema;
  };

  it('cover every kind, valid and invalid', () => {
    const expected = [...schemas.keys()].toSorted();
    expect(Object.keys(file.kinds).toSorted()).toEqual(expected);
    expect([...new Set(file.valid.map((one) => one.kind))].toSorted()).toEqual(expected);
    expect([...new Set(file.invalid.map((one) => one.kind))].toSorted()).toEqual(expected);
  });

  it.each(file.valid)('$kind is accepted: $name', ({ kind, value, parsed }) => {
    const result = schemaOf(kind).safeParse(value);
    expect(result.error?.issues).toBeUndefined();
    expect(result.data).toEqual(parsed ?? value);
  });

  it.each(file.invalid)('$kind is refused: $name', ({ kind, value, at }) => {
    expect(complaints(schemaOf(kind), value)).toContain(at.join('.'));
  });

  it.each(required)('$kind is refused without $path', ({ kind, path }) => {
    expect(complaints(schemaOf(kind), without(leastOf(file, kind), path))).toContain(path);
  });

  it.each(kinds)('$kind: unknown fields are $unknown_fields', ({ kind, unknown_fields: fate }) => {
    const found = file.valid
      .filter((one) => one.kind === kind)
      .map((one) => withUnknownFields(one.value).slice(0, fate === 'ignored' ? undefined : 1))
      .flat()
      .map((grown) => complaints(schemaOf(kind), grown));
    const expected = fate === 'refused' ? ['x_from_a_later_version'] : [];
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(found.map(() => expected));
  });
});
