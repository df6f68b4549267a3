import { counted } from '../output/counted.js';
import { subjectCell } from '../record/subject-in.js';
import type { Against } from './against.js';
import { CODE, COUNT, count, RULE } from './cells.js';
import type { Section, Text } from './document.js';

/** The calls that ran, and that another policy would have kept from running. */
export function stricterSection(against: Against, most: number): Section {
  const { rules, calls, stopped, asked, passing, unknown, name, policy, isCut } = against;
  const kept = `would have refused ${stopped}${asked > 0 ? ` and asked about ${asked}` : ''}`;
  const parts = [
    `of the calls that ran, ${policy.policy_id} ${policy.policy_version} ${kept}`,
    ...(passing > 0 ? [`of the refused ones it would have let ${passing} pass`] : []),
    ...(unknown > 0 ? [`of ${counted(unknown, 'call')} it cannot be told`] : []),
    ...(isCut ? [`only the first ${calls} calls were decided again`] : []),
  ];
  return {
    title: `Under ${name}`,
    lead: parts.join('; '),
    columns: [{ title: 'CALLS', ...COUNT }, { title: 'WOULD' }, RULE, { title: 'FOR EXAMPLE', ...CODE }],
    rows: rules
      .slice(0, most)
      .map((rule) => [
        count(rule.calls),
        { text: rule.isAsk ? 'ask' : 'refuse', tone: rule.isAsk ? 'warn' : 'bad' },
        { text: rule.ruleId },
        exampleOf(rule),
      ]),
    more: Math.max(0, rules.length - most),
  };
}

function exampleOf({ examples: [first] }: Against['rules'][number]): Text {
  return first === undefined ? { text: '' } : subjectCell(first.name, first.object);
}
