import { canonicalNumber } from '@subluminal/core-types';
import { effectOf } from '../../../packages/mcp/dist/adapter/classify.js';
import { EnvelopeReader } from '../../../packages/mcp/dist/json-scan/envelope-reader.js';
import { Judge } from '../../../packages/mcp/dist/message/judge.js';
import type { Message } from '../../../packages/mcp/dist/message/message.js';
import { chunks, promise, type Target } from '../engine/target.js';
import type { Random } from '../engine/random.js';
import {
  depthOf,
  longestNumber,
  memberOf,
  type Reading,
  READINGS,
  readTree,
  type Tree,
} from '../reference/json.js';

const judge = new Judge();

const line = (members: string): Buffer => Buffer.from(`{"jsonrpc":"2.0",${members}}`);

/** The two judges of MCP messages: what either lets pass reads the same whoever reads it. */
export const messages: Target = {
  name: 'messages',
  seeds: [
    line('"id":1,"method":"tools/call","params":{"name":"echo","arguments":{"path":"/a","n":[1,{"x":2}]}}'),
    line('"id":"a","method":"ping"'),
    line('"id":1.0,"method":"tools/call","params":{"name":"danger"}'),
    line('"method":"notifications/cancelled","params":{"requestId":1,"reason":"x"}'),
    line('"id":2,"result":{"content":[{"type":"text","text":"hi"}],"inputRequests":{"a":{"method":"m"}}}'),
    line('"id":2,"error":{"code":-32000,"message":"m","data":{"subluminal":{}}}'),
    line('"id":1,"method":"ping","Method":"tools/call","params":{"name":"a","name\\u0000":"b"}'),
    line('"id":1,"method":"ping","\\u006dethod":"tools/call","params":{"name":"a","n\\u0061me":"b"}'),
    line(`"id":1,"method":"x","params":{"x":${'['.repeat(70)}${']'.repeat(70)}}`),
    Buffer.from('[{"jsonrpc":"2.0","id":1,"method":"tools/call"}]'),
  ],
  words: [
    '"jsonrpc"',
    '"2.0"',
    '"id"',
    '"method"',
    '"params"',
    '"result"',
    '"error"',
    '"name"',
    '"arguments"',
    ':',
    ',',

    '"Method":"tools/call",',
    '"method":"tools/call",',
    '"\\u006dethod":"x",',
    '"param\u017f":{},',
    '"ID":1,',

    '"name":"danger",',
    '"NAME":"danger",',
    '"name\\u0000":"x",',
    '"__proto__":{"method":"x"},',
    '"id":null,',

    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    '\\u0000',
    '\\ud800',
    '\r',
    '\n',
    '\u2028',
    '\ufeff',
    '1.0',
    '1e0',
    '-0',
    'null',

    '"tools/call"',
    '"ping"',
    '"code":-32083,',
    '"inputRequests":{},',
    '"resultType":"input_required",',
  ],
  maxBytes: 4096,
  run(input, random) {
    const bytes = Buffer.from(input.filter((byte) => byte !== 0x0a));
    const tree = readTree(bytes);
    const judged = judge.judge(bytes);
    const scanned = scan(bytes, random);
    promise(scanned.type === 'refused' || tree !== undefined, 'the scanner takes nothing but JSON');
    if (judged.type !== 'refused' && judged.type !== 'deep') readsAlike(judged, tree, 'the judge');
    if (scanned.type !== 'refused') readsAlike(scanned, tree, 'the scanner');
    if (judged.type === 'refused' || judged.type === 'deep' || scanned.type === 'refused') return false;
    promise(judged.type === scanned.type, 'both judges see the same kind of message');
    const idOf = (message: Message) => (message.type === 'notification' ? '' : message.id.key);
    promise(idOf(judged) === idOf(scanned), 'both judges see the same id');
    if (judged.type === 'answer' || scanned.type === 'answer') return true;
    promise(judged.method === scanned.method, 'both judges see the same method');
    return true;
  },
};

function scan(bytes: Buffer, random: Random) {
  const reader = new EnvelopeReader();
  for (const chunk of chunks(bytes, random)) if (!reader.push(chunk)) break;
  return reader.finish();
}

/** What was let pass says the same in each reading. */
function readsAlike(message: Message, tree: Tree | undefined, who: string): void {
  promise(tree !== undefined, `${who} takes nothing but JSON`);
  if (longestNumber(tree) > 1024 || depthOf(tree) > 4096) return;
  for (const reading of READINGS) {
    const method = textOf(memberOf(tree, 'method', reading));
    if (message.type === 'answer') {
      promise(
        method === undefined,
        `${who} lets no answer pass that is a request for the ${reading} reading`,
      );
      promise(
        sameId(message.id.key, memberOf(tree, 'id', reading)),
        `${who} sees the id of the ${reading} reading`,
      );
      continue;
    }
    promise(method === message.method, `${who} sees the method of the ${reading} reading`);
    if (message.type === 'request') {
      promise(
        sameId(message.id.key, memberOf(tree, 'id', reading)),
        `${who} sees the id of the ${reading} reading`,
      );
    } else
      promise(memberOf(tree, 'id', reading) === undefined, `${who} lets no notification pass with an id`);
    decidesAlike(message, memberOf(tree, 'params', reading), reading, who);
  }
}

/** What would be decided is what this reading would run. */
function decidesAlike(
  message: Exclude<Message, { type: 'answer' }>,
  params: Tree | undefined,
  reading: Reading,
  who: string,
): void {
  if (message.method !== 'tools/call') return;
  const effect = effectOf(message.method, message.params, () => ({ bytes: 1, streamHash: '' }));
  if (typeof effect === 'string') return;
  promise(
    textOf(memberOf(params, 'name', reading)) === effect.toolName,
    `${who} decides the tool of the ${reading} reading`,
  );
  if (!message.params.inspected) return;
  const args = memberOf(params, 'arguments', reading);
  const seen = args?.kind === 'object' ? args.members.map(([key]) => key) : [];
  promise(
    JSON.stringify(seen.toSorted()) === JSON.stringify(Object.keys(effect.args).toSorted()),
    `${who} decides the arguments of the ${reading} reading`,
  );
}

function textOf(tree: Tree | undefined): string | undefined {
  return tree?.kind === 'string' ? tree.text : undefined;
}

function sameId(key: string, tree: Tree | undefined): boolean {
  if (tree?.kind === 'string') return key === `s${tree.text}`;
  return tree?.kind === 'number' && key === `n${canonicalNumber(tree.literal)}`;
}
