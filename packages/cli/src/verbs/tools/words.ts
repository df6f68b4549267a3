import { textAt, textsAt, type JsonObject } from '@subluminal/core-types';

/** The change of a tool, and why it matters. */
export interface Words {
  readonly what: string;
  readonly why: string;
}

/** Tells a reason in words; names in it are raw. */
export function wordsOf(reason: JsonObject): Words {
  const kind = textAt(reason, 'kind');
  const other = `\`${textAt(reason, 'of', 'tool')}\` of \`${textAt(reason, 'of', 'server')}\``;
  switch (kind) {
    case 'changed': {
      const members = textsAt(reason, 'members');
      return { what: `changed: ${members.join(', ')}`, why: whyChanged(members) };
    }
    case 'new':
      return {
        what: 'new: it was not in the list that was pinned',
        why: 'An update may add tools. Read what it says it does before an agent is offered it.',
      };
    case 'renamed':
      return {
        what: `renamed from \`${textAt(reason, 'of', 'tool')}\`; nothing else differs`,
        why: 'Rules that name the tool do not match its new name.',
      };
    case 'shadows':
      return {
        what: `takes the name of ${other}`,
        why: 'An agent may send this server what it means for the other one.',
      };
    case 'looks_like':
      return {
        what: `looks like ${other}`,
        why: 'An agent or a person may take one for the other, and send this server what it means for the other one.',
      };
    case 'duplicate':
      return {
        what: 'stands in one list twice, with two meanings',
        why: 'Which of them an agent sees depends on its client. It cannot be approved; the server has to be corrected.',
      };
    case 'too_large':
      return {
        what: 'is described in more than 256 KiB',
        why: 'Nobody can review that. It cannot be approved.',
      };
    default:
      return { what: kind, why: '' };
  }
}

function whyChanged(members: readonly string[]): string {
  const why: string[] = [];
  if (members.some((name) => !SCHEMAS.has(name) && name !== 'annotations')) {
    why.push(
      'An agent’s model acts on what a tool says of itself: read every `+` line as an instruction to it.',
    );
  }
  if (members.some((name) => SCHEMAS.has(name))) {
    why.push(
      'The schema says what an agent sends: look for arguments that ask for more than the tool needs.',
    );
  }
  if (members.includes('annotations')) {
    why.push('Annotations are the server’s own word; a client may ask its user less because of them.');
  }
  return why.join(' ');
}

const SCHEMAS: ReadonlySet<string> = new Set(['inputSchema', 'outputSchema']);
