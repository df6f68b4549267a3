import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Budget, occurrences } from './recur.js';
import { readRule } from './rule.js';
import { readTime } from './time.js';
import { UTC } from './zone.js';

const FAR = Date.UTC(2100, 0, 1) / 1000;

function at(text: string): number {
  const time = readTime(text, undefined);
  if (time === undefined || time.kind === 'utc') throw new Error(`not a local time: ${text}`);
  return time.local;
}

/** The first occurrences as days of a month (`9-5` is 5 September), those of one day once. */
function expand(
  value: string,
  start = '19970902T090000',
  most = 12,
  budget: Budget = { left: 1e6 },
): string[] {
  const rule = readRule(value);
  if (rule === undefined) throw new Error(`cannot be read: ${value}`);
  const first = at(start);
  const found = occurrences({ rule, start: first, from: first, to: FAR, zone: UTC, budget });
  return found.slice(0, most).map((time) => {
    const date = new Date(time * 1000);
    return `${date.getUTCFullYear()}-${date.getUTCMonth() + 1}-${date.getUTCDate()}`;
  });
}

function dates(year: number, ...days: string[]): string[] {
  return days.map((day) => `${year}-${day}`);
}

describe('a recurrence rule', () => {
  // RFC 5545 §3.8.5.3, the examples with their dates.
  it.each<[string, string | undefined, string[]]>([
    ['FREQ=DAILY;COUNT=3', undefined, dates(1997, '9-2', '9-3', '9-4')],
    ['FREQ=DAILY;INTERVAL=10;COUNT=5', undefined, dates(1997, '9-2', '9-12', '9-22', '10-2', '10-12')],
    ['FREQ=WEEKLY;COUNT=3', undefined, dates(1997, '9-2', '9-9', '9-16')],
    [
      'FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH',
      undefined,
      dates(1997, '9-2', '9-4', '9-9', '9-11', '9-16', '9-18', '9-23', '9-25', '9-30', '10-2'),
    ],
    [
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;WKST=SU;BYDAY=TU,TH',
      undefined,
      dates(1997, '9-2', '9-4', '9-16', '9-18'),
    ],
    ['FREQ=MONTHLY;COUNT=4;BYDAY=1FR', '19970905T090000', dates(1997, '9-5', '10-3', '11-7', '12-5')],
    [
      'FREQ=MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU',
      '19970907T090000',
      dates(1997, '9-7', '9-28', '11-2', '11-30'),
    ],
    ['FREQ=MONTHLY;COUNT=3;BYDAY=-2MO', '19970922T090000', dates(1997, '9-22', '10-20', '11-17')],
    ['FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=3', '19970928T090000', dates(1997, '9-28', '10-29', '11-28')],
    ['FREQ=MONTHLY;COUNT=4;BYMONTHDAY=2,15', undefined, dates(1997, '9-2', '9-15', '10-2', '10-15')],
    ['FREQ=MONTHLY;COUNT=4;BYMONTHDAY=1,-1', '19970930T090000', dates(1997, '9-30', '10-1', '10-31', '11-1')],
    [
      'FREQ=YEARLY;COUNT=4;BYMONTH=6,7',
      '19970610T090000',
      ['1997-6-10', '1997-7-10', '1998-6-10', '1998-7-10'],
    ],
    [
      'FREQ=YEARLY;INTERVAL=3;COUNT=4;BYYEARDAY=1,100,200',
      '19970101T090000',
      ['1997-1-1', '1997-4-10', '1997-7-19', '2000-1-1'],
    ],
    ['FREQ=YEARLY;BYDAY=20MO;COUNT=3', '19970519T090000', ['1997-5-19', '1998-5-18', '1999-5-17']],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=3', '19970512T090000', ['1997-5-12', '1998-5-11', '1999-5-17']],
    [
      'FREQ=YEARLY;BYMONTH=3;BYDAY=TH;COUNT=4',
      '19970313T090000',
      ['1997-3-13', '1997-3-20', '1997-3-27', '1998-3-5'],
    ],
    [
      'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=3',
      '19980213T090000',
      ['1998-2-13', '1998-3-13', '1998-11-13'],
    ],
    [
      'FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13;COUNT=3',
      '19970913T090000',
      dates(1997, '9-13', '10-11', '11-8'),
    ],
    [
      'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=3',
      '19961105T090000',
      ['1996-11-5', '2000-11-7', '2004-11-2'],
    ],
    ['FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3', '19970904T090000', dates(1997, '9-4', '10-7', '11-6')],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=3',
      '19970929T090000',
      dates(1997, '9-29', '10-30', '11-27'),
    ],
    [
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
      '19970805T090000',
      dates(1997, '8-5', '8-10', '8-19', '8-24'),
    ],
    [
      'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
      '19970805T090000',
      dates(1997, '8-5', '8-17', '8-19', '8-31'),
    ],
    ['FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=3', '20070115T090000', dates(2007, '1-15', '1-30', '2-15')],
    ['FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3', '19970131T090000', dates(1997, '1-31', '3-31', '5-31')],
    ['FREQ=YEARLY;COUNT=2', '19960229T090000', ['1996-2-29', '2000-2-29']],
  ])('%s gives what RFC 5545 says', (value, start, wanted) => {
    expect(expand(value, start)).toEqual(wanted);
  });

  it('repeats within a day', () => {
    const rule = readRule('FREQ=MINUTELY;INTERVAL=90;COUNT=4');
    const start = at('19970902T090000');
    if (rule === undefined) throw new Error('unread');
    const found = occurrences({ rule, start, from: start, to: FAR, zone: UTC, budget: { left: 100 } });
    expect(found.map((time) => (time - start) / 60)).toEqual([0, 90, 180, 270]);
  });

  it.each([
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'],
    ['FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'],
    ['FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2'],
    ['FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6'],
    ['FREQ=MINUTELY;BYHOUR=3;BYYEARDAY=366;BYMONTH=1;INTERVAL=7'],
  ])('%s matches nothing but its start, and ends', (value) => {
    const budget = { left: 5_000 };
    expect(expand(value, '19970902T090000', 12, budget)).toEqual(['1997-9-2']);
    expect(budget.left).toBeGreaterThan(-1000);
  });

  it.each([
    [''],
    ['FREQ=BOGUS'],
    ['COUNT=3'],
    ['FREQ=DAILY;INTERVAL=0'],
    ['FREQ=DAILY;INTERVAL=-1'],
    ['FREQ=DAILY;COUNT=0'],
    ['FREQ=DAILY;UNTIL=garbage'],
    ['FREQ=DAILY;BYDAY=XX'],
    ['FREQ=DAILY;BYMONTH=13'],
    ['FREQ=DAILY;BYMONTHDAY=0'],
    ['FREQ=DAILY;FREQ=WEEKLY'],
    ['FREQ=DAILY;X-SKIP=1'],
    ['FREQ=DAILY;BYDAY'],
    [
      `FREQ=DAILY;BYSECOND=${Array.from({ length: 60 }, (_, i) => i).join(',')};BYMINUTE=${Array.from({ length: 60 }, (_, i) => i).join(',')}`,
    ],
  ])('that reads %j is none', (value) => {
    expect(readRule(value)).toBeUndefined();
  });

  it('gives for a part of the time what it gives for all of it', () => {
    const numbers = (min: number, max: number) =>
      fc.array(
        fc.integer({ min, max }).filter((n) => n !== 0),
        { minLength: 1, maxLength: 3 },
      );
    const part = fc.oneof(
      fc.constant(''),
      numbers(1, 12).map((list) => `;BYMONTH=${list.join(',')}`),
      numbers(-31, 31).map((list) => `;BYMONTHDAY=${list.join(',')}`),
      fc.subarray(['MO', 'WE', 'SU'], { minLength: 1 }).map((list) => `;BYDAY=${list.join(',')}`),
    );
    const value = fc
      .tuple(fc.constantFrom('YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'), fc.integer({ min: 1, max: 5 }), part)
      .map(([frequency, interval, by]) => `FREQ=${frequency};INTERVAL=${interval}${by}`);
    fc.assert(
      fc.property(
        value,
        fc.integer({ min: 0, max: 4000 }),
        fc.integer({ min: 1, max: 400 }),
        (text, offset, length) => {
          const rule = readRule(text);
          if (rule === undefined) throw new Error(text);
          const start = at('20000131T100000');
          const [from, to] = [start + offset * 86_400, start + (offset + length) * 86_400];
          const common = { rule, start, zone: UTC };
          const all = occurrences({ ...common, from: start, to, budget: { left: 1e6 } });
          const some = occurrences({ ...common, from, to, budget: { left: 1e6 } });
          expect(some).toEqual(all.filter((time) => time >= from));
          expect(all).toEqual([...new Set(all)].toSorted((one, other) => one - other));
        },
      ),
      { numRuns: 60 },
    );
  });
});
