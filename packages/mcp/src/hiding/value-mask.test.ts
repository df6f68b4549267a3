import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServerSecrets } from './server-secrets.js';
import { ValueMask } from './value-mask.js';

const TOKEN = 'abcab-cabd"\\/\n<é😀>';
const MARK = '[REDACTED:TOKEN]';

function secrets(values: Readonly<Record<string, string>>): ServerSecrets {
  const held = new ServerSecrets();
  held.take(Object.entries(values).map(([name, value]) => ({ name, value, redact: true })));
  return held;
}

/** The output of a mask for pieces that are cut at these places. */
function through(masks: readonly ValueMask[], bytes: Buffer, cuts: readonly number[] = []): string {
  if (masks.length === 0) throw new Error('nothing is masked');
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  let pieces = places.slice(1).map((end, at) => bytes.subarray(places[at], end));
  for (const mask of masks) pieces = [...pieces.map((piece) => mask.push(piece)), mask.end()];
  return Buffer.concat(pieces).toString();
}

/** Every way in which JSON writes a text: each character plain, as a short escape, or by its number. */
function spelt(text: string, ways: readonly number[]): string {
  const short = new Map([
    ['"', '\\"'],
    ['\\', '\\\\'],
    ['/', '\\/'],
    ['\n', '\\n'],
  ]);
  return Array.from(text, (character, at) => {
    const way = ways[at % ways.length] ?? 0;
    const numbers = Array.from({ length: character.length }, (_, unit) => {
      const hex = character.charCodeAt(unit).toString(16).padStart(4, '0');
      return `\\u${way % 2 === 0 ? hex : hex.toUpperCase()}`;
    }).join('');
    if (way > 1) return numbers;
    return short.get(character) ?? character;
  }).join('');
}

const places = fc.array(fc.nat(), { maxLength: 12 });

describe('a message to the client', () => {
  it('loses a value however JSON spells it, and wherever its bytes are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 30 }),
        fc.string({ unit: 'grapheme' }),
        fc.string(),
        places,
        (ways, before, after, cuts) => {
          fc.pre(!JSON.stringify(before + after).includes('abcab'));
          const head = JSON.stringify(before).slice(0, -1);
          const tail = `${JSON.stringify(after).slice(1)}}\n`;
          const line = `{"text":${head}${spelt(TOKEN, ways)}${tail}`;
          const masked = through(secrets({ TOKEN }).messageMasks(), Buffer.from(line), cuts);
          expect(masked).toBe(`{"text":${head}${MARK}${tail}`);
          expect((JSON.parse(masked) as { text: string }).text).toBe(`${before}${MARK}${after}`);
        },
      ),
    );
  });

  it('loses a value in a text that is JSON itself', () => {
    const line = JSON.stringify({ text: JSON.stringify({ token: TOKEN }) });
    const masked = JSON.parse(through(secrets({ TOKEN }).messageMasks(), Buffer.from(line))) as {
      text: string;
    };
    expect(JSON.parse(masked.text)).toEqual({ token: MARK });
  });

  it('loses a value in a text that is JSON itself, however that spells it, and wherever its bytes are cut', () => {
    const ways = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(ways, ways, places, (inner, outer, cuts) => {
        const text = `{\n"token":"${spelt(TOKEN, inner)}"}`;
        const line = `{"text":"${spelt(text, outer.map((way) => (way > 1 ? way : 1)).concat(0))}"}`;
        const masked = JSON.parse(through(secrets({ TOKEN }).messageMasks(), Buffer.from(line), cuts)) as {
          text: string;
        };
        expect(JSON.parse(masked.text)).toEqual({ token: MARK });
      }),
    );
  });

  it.each([
    ['PHP', 'aws/secret+key/1234', String.raw`aws\\/secret+key\\/1234`],
    ['Go', 'tok&en<1234>', String.raw`tok\\u0026en\\u003c1234\\u003e`],
    ['.NET', "base64+with'quotes", String.raw`base64\\u002Bwith\\u0027quotes`],
    ['Python', 'schlüssel-1234', String.raw`schl\\u00fcssel-1234`],
  ])('loses a value in JSON in a text as %s writes it', (_name, value, written) => {
    const line = (text: string): string => `{"result":{"text":"{\\"t\\":\\"${text}\\"}"}}\n`;
    const held = secrets({ TOKEN: value });
    expect(JSON.parse((JSON.parse(line(written)) as { result: { text: string } }).result.text)).toEqual({
      t: value,
    });
    expect(through(held.messageMasks(), Buffer.from(line(written)))).toBe(line(MARK));
    expect(through(held.errorMasks(), Buffer.from(line(written)))).toBe(line(MARK));
    expect(held.hide(line(written))).toBe(line(MARK));
  });

  it('keeps every other byte, however near it comes', () => {
    const near = fc.oneof(
      fc.constantFrom(
        'abcab-cab',
        'abcab',
        'bcab-cabd"\\/',
        TOKEN.toUpperCase(),
        '\\u0061bcab',
        '\\',
        '\\u',
        '\\ud83d',
      ),
      fc.string(),
      fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    );
    fc.assert(
      fc.property(fc.array(near, { maxLength: 20 }), places, (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''), 'latin1');
        const mask = secrets({ TOKEN }).messageMasks();
        expect(through(mask, bytes, cuts)).toBe(bytes.toString());
      }),
    );
  });

  it('does not join what stands on two lines', () => {
    const mask = secrets({ TOKEN: 'first-half\nsecond-half' }).messageMasks();
    const text = '"first-half\nsecond-half"';
    expect(through(mask, Buffer.from(text))).toBe(text);
  });

  it('loses values that begin alike, stand in one another or overlap, as one', () => {
    const held = { LONG: 'secret-secret-one', SHORT: 'secret-one', NEXT: 'one-and-more' };
    const masked = (text: string): string => through(secrets(held).messageMasks(), Buffer.from(text));
    expect(masked('a secret-secret-one b')).toMatch(/^a \[REDACTED:(?:LONG|SHORT)\] b$/);
    expect(masked('a secret-one b')).toBe('a [REDACTED:SHORT] b');
    expect(masked('a secret-secret-one-and-more b')).not.toMatch(/secret-|more/);
    expect(masked('secret-secret-secret-one')).toMatch(/^secret-\[REDACTED:(?:LONG|SHORT)\]$/);
  });

  it('is not held back once it cannot become a value', () => {
    const masks = secrets({ TOKEN: 'abcdefgh' }).messageMasks();
    const push = (text: string): string => {
      let bytes: Buffer = Buffer.from(text);
      for (const mask of masks) bytes = mask.push(bytes);
      return bytes.toString();
    };
    expect(push('{"a":"abcdef')).toBe('{"a":"');
    expect(push('"}\n')).toBe('abcdef"}\n');
    expect(push('{"a":"abcdefgh')).toBe('{"a":"[REDACTED:TOKEN]');
  });
});

describe('standard error', () => {
  it('loses a value as it is, over several lines, and as JSON writes it', () => {
    const masked = (text: string, cuts: readonly number[]): string =>
      through(secrets({ TOKEN }).errorMasks(), Buffer.from(text), cuts);
    fc.assert(
      fc.property(places, (cuts) => {
        const text = `plain ${TOKEN}, json ${JSON.stringify(TOKEN)}, twice ${JSON.stringify(JSON.stringify(TOKEN))}`;
        expect(masked(text, cuts)).toBe(`plain ${MARK}, json "${MARK}", twice "\\"${MARK}\\""`);
      }),
    );
  });
});

it('a server whose secrets are all to be left as they are has nothing masked', () => {
  const held = new ServerSecrets();
  held.take([{ name: 'TOKEN', value: TOKEN, redact: false }]);
  expect([held.messageMasks(), held.errorMasks()]).toEqual([[], []]);
  expect(held.hide(`x ${TOKEN}`)).toBe(`x ${MARK}`);
});

it('a stream of nothing but beginnings of a value passes in time that grows with its length alone', () => {
  const value = `${'a'.repeat(2000)}b`;
  const mask = new ValueMask([{ bytes: Buffer.from(value), mark: Buffer.from(MARK) }], { json: true });
  const text = Buffer.from('a'.repeat(400_000));
  const out: Buffer[] = [];
  for (let at = 0; at < text.length; at += 10_000) out.push(mask.push(text.subarray(at, at + 10_000)));
  expect(Buffer.concat([...out, mask.end()]).equals(text)).toBe(true);
});

it('lets the mark of a value go at once, however long the value goes on from within itself', () => {
  const [mask] = secrets({ TOKEN: 'sk-abcdefgh12s' }).messageMasks();
  if (mask === undefined) throw new Error('nothing is masked');
  const chain = (times: number): Buffer => Buffer.from('k-abcdefgh12s'.repeat(times));
  expect(mask.push(Buffer.concat([Buffer.from('before s'), chain(1000)])).toString()).toBe(
    'before [REDACTED:TOKEN]',
  );
  expect(mask.push(chain(1000)).toString()).toBe('');
  expect(mask.push(Buffer.from(' after')).toString() + mask.end().toString()).toBe(' after');
});
