import { expect, it } from 'vitest';
import { readXml } from './xml.js';

it('a text is the same wherever the pieces end that it is read in', async () => {
  for (const filling of ['\u{1f600}', 'x\r\n', '&amp;', '<![CDATA[]]>y'])
    for (const shift of ['', 'a', 'ab']) {
      const { text } = await readXml(`<a xmlns="DAV:">${shift}${filling.repeat(40_000)}</a>`);
      const whole = (await readXml(`<a>${filling}</a>`)).text;
      expect(text === shift + whole.repeat(40_000)).toBe(true);
    }
});

it('a large document leaves turns to others', async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const { children } = await readXml(`<a>${'<b/>'.repeat(150_000)}</a>`);
  isOver = true;
  expect(children).toHaveLength(150_000);
  // 600 KB in pieces of 64 KiB.
  expect(turns).toBeGreaterThanOrEqual(8);
});
